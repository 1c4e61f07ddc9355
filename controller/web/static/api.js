// Asking the table: reading, and changing with what the guard wants to see.

const body = () => document.body;
export const director = () => body().dataset.director;

/** What went wrong, in the words of the table; `fields` has a sentence for each wrong field. */
export class Problem extends Error {
  constructor(sentence, fields, status) {
    super(sentence);
    this.fields = fields ?? {};
    this.status = status;
  }
}

async function answer(response) {
  const said = await response.json().catch(() => ({}));
  if (response.ok) return said;
  throw new Problem(said.error ?? "The table gave no answer that can be read.", said.fields, response.status);
}

async function reach(address, options) {
  try {
    return await fetch(address, options);
  } catch {
    throw new Problem("The table cannot be reached. Is this phone still in its network?", {}, 0);
  }
}

export async function get(address) {
  return answer(await reach(address, { cache: "no-store" }));
}

/** POST of JSON (or another method); without a director's session the table refuses it. */
export async function post(address, value = {}, method = "POST") {
  return answer(await reach(address, {
    method, cache: "no-store", headers: { "content-type": "application/json", "x-gammonwatch-token": body().dataset.token }, body: JSON.stringify(value),
  }));
}

let timer = 0;
/** A sentence at the page's lower edge, read out as well. */
export function toast(sentence, bad = false) {
  const place = document.getElementById("toast");
  place.textContent = sentence;
  place.classList.toggle("bad", bad);
  place.classList.add("shown");
  clearTimeout(timer);
  timer = setTimeout(() => place.classList.remove("shown"), bad ? 7000 : 3500);
}

/** `act` with the form each time it is sent. Its button is dead until then (`disabled` in the template): a form that is sent before
 * anybody listens would load the page anew, with what was typed, the PIN too, in the address. */
export function whenSent(form, act) {
  if (!form) return;
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    act(form);
  });
  form.querySelectorAll("button:not([type=button])").forEach((button) => { button.disabled = false; });
}

/** A sentence beside each field that was wrong, and the whole beside the form; the first wrong field gets the focus. */
export function showProblem(form, problem) {
  clearProblem(form);
  const place = form.querySelector("[data-problem]");
  let first = null, beside = 0;
  for (const [name, sentence] of Object.entries(problem.fields ?? {})) {
    const field = form.elements.namedItem(name) ?? form.elements.namedItem(name.split(".")[0]);
    const input = field instanceof RadioNodeList ? field[0] : field;
    if (!input) continue;
    const note = document.createElement("p");
    note.className = "wrong";
    note.id = `wrong-${name.replaceAll(".", "-")}`;
    note.textContent = sentence;
    input.setAttribute("aria-invalid", "true");
    input.setAttribute("aria-describedby", note.id);
    (input.closest("label, fieldset, .field") ?? input).after(note);
    first ??= input;
    beside += 1;
  }
  if (place && (!beside || !first)) place.textContent = problem.message;
  first?.focus();
}

export function clearProblem(form) {
  form.querySelectorAll(".wrong").forEach((node) => node.remove());
  form.querySelectorAll("[aria-invalid]").forEach((node) => { node.removeAttribute("aria-invalid"); node.removeAttribute("aria-describedby"); });
  const place = form.querySelector("[data-problem]");
  if (place) place.textContent = "";
}

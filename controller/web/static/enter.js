import { clearProblem, post, showProblem, whenSent } from "./api.js";

// What lets in stands behind the #: it is taken off the address at once, so that it does not stay in the history.
const token = location.hash.slice(1);
history.replaceState(null, "", "/enter");
const form = document.getElementById("use");
if (!token) form.querySelector("[data-problem]").textContent = "This address is not a whole link: ask for another.";

whenSent(form, async () => {
  clearProblem(form);
  try {
    await post("/api/access/link", { token, name: form.elements.name.value.trim() || "director" });
    location.replace("/director");
  } catch (problem) {
    form.querySelector("[data-problem]").textContent = problem.message;
    if (problem.fields.name) showProblem(form, problem);
  }
});

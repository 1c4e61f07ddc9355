import { START, drawBoard } from "./board.js";
import { listen } from "./stream.js";
import { clearProblem, post, showProblem, toast, whenSent } from "./api.js";

const $ = (id) => document.getElementById(id);
const near = (() => { try { return localStorage.getItem("near") === "B" ? "B" : "A"; } catch { return "A"; } })();
let board = null, position = null, tool = "A", touched = false, based = null;

listen((news) => {
  const first = board === null;
  board = news.board;
  if (!touched) {
    position = [...(first && board.correction.length === 0 ? board.shown : board.position)];
    based = { match: board.match, number: board.number };
    fill();
  }
  draw();
});

function fill() {
  for (const node of document.querySelectorAll("[data-name]")) node.textContent = board.names[node.dataset.name === "A" ? 0 : 1];
  for (const option of $("cube").elements.owner.options) if (option.value) option.textContent = board.names[option.value === "A" ? 0 : 1];
  const turn = board.turn ?? "A";
  for (const radio of $("position").elements.player) radio.checked = radio.value === turn;
  const value = $("cube").elements.value, shown = String(board.cube.value);
  if (![...value.options].some((option) => option.value === shown)) value.add(new Option(shown)); // a cube can go far past its faces
  value.value = shown;
  $("cube").elements.owner.value = board.cube.owner ?? "";
  $("score").elements["score.0"].value = board.score[0];
  $("score").elements["score.1"].value = board.score[1];
}

function count(side) {
  const sign = side === "A" ? 1 : -1;
  return position.slice(0, 24).reduce((sum, n) => sum + Math.max(n * sign, 0), 0) + position[side === "A" ? 24 : 25] + position[side === "A" ? 26 : 27];
}

function draw() {
  drawBoard($("board"), { position, near, home: board.home, names: board.names, tap: change, label: nameOf });
  const said = ["A", "B"].map((side) => {
    const n = count(side), name = board.names[side === "A" ? 0 : 1];
    return n === 15 ? `${name}: 15, as it should be` : `${name}: ${n}, ${n < 15 ? `${15 - n} missing` : `${n - 15} too many`}`;
  });
  $("tally").textContent = said.join(" · ");
  $("tally").classList.toggle("bad", count("A") !== 15 || count("B") !== 15);
}

function nameOf(place, n) {
  const who = (side) => board.names[side === "A" ? 0 : 1];
  if (place === 25 || place === 26) return `${who(place === 25 ? "A" : "B")} on the bar: ${n}`;
  if (place === 0 || place === 27) return `${who(place === 0 ? "A" : "B")} off: ${n}`;
  const own = near === "A" ? place : 25 - place;
  return `Point ${own}: ${n ? `${Math.abs(n)} of ${who(n > 0 ? "A" : "B")}` : "empty"}`;
}

function change(place) {
  touched = true;
  const slot = { 25: 24, 26: 25, 0: 26, 27: 27 }[place] ?? place - 1;
  if (slot >= 24) {
    position[slot] = tool === "take" ? Math.max(position[slot] - 1, 0) : Math.min(position[slot] + 1, 15);
  } else {
    const n = position[slot], sign = tool === "A" ? 1 : -1;
    if (tool === "take") position[slot] = n - Math.sign(n);
    else if (n * sign < 0) position[slot] = 0;
    else position[slot] = Math.max(Math.min(n + sign, 15), -15);
  }
  draw();
}

for (const button of document.querySelectorAll("[data-tool]")) {
  button.addEventListener("click", () => {
    tool = button.dataset.tool;
    for (const other of document.querySelectorAll("[data-tool]")) other.setAttribute("aria-pressed", String(other === button));
  });
}
const take = (numbers) => { touched = true; position = [...numbers]; draw(); };
$("seen").addEventListener("click", () => board && take(board.shown));
$("known").addEventListener("click", () => board && take(board.position));
$("opening").addEventListener("click", () => take(START));
$("clear").addEventListener("click", () => take(Array(28).fill(0)));

// What is being typed is not overwritten by the next news.
for (const id of ["position", "cube", "score"]) $(id).addEventListener("input", () => { touched = true; });

async function send(form, act, value) {
  clearProblem(form);
  const button = form.querySelector("button");
  button.disabled = true;
  try {
    const done = await post(`/api/acts/${act}`, { ...value, ...based });
    toast(done.words.join(" · ") || "Done");
    touched = false;
    based = { match: board.match, number: done.number };
  } catch (problem) {
    showProblem(form, problem);
    if (problem.status === 409) based = { match: board.match, number: board.number };
  } finally {
    button.disabled = false;
  }
}

whenSent($("position"), (form) => {
  send(form, "position", { position, player: form.elements.player.value });
});
whenSent($("cube"), (form) => {
  const { value, owner } = form.elements;
  send(form, "cube", { value: Number(value.value), owner: owner.value || null });
});
whenSent($("score"), (form) => {
  const fields = form.elements;
  const score = [fields["score.0"], fields["score.1"]].map((field) => (/^\d+$/.test(field.value.trim()) ? Number(field.value) : field.value.trim()));
  send(form, "score", { score, crawford_over: fields.crawford_over.checked });
});

// One turn: its boards are drawn, a legal play can be looked at, and the director's ruling is recorded.
import { changed, drawBoard } from "./board.js";
import { post, showProblem, clearProblem, toast, whenSent } from "./api.js";

const turn = document.getElementById("turn");
const names = [turn.dataset.a, turn.dataset.b];
const near = (() => { try { return localStorage.getItem("near") === "B" ? "B" : "A"; } catch { return "A"; } })();
const common = { near, home: turn.dataset.home, names };
const given = (text, other) => text ? JSON.parse(text) : other;

for (const svg of document.querySelectorAll("svg[data-board]")) {
  drawBoard(svg, { ...common, position: given(svg.dataset.board), dice: given(svg.dataset.dice, []), roller: svg.dataset.roller || null, lit: given(svg.dataset.lit, []) });
}

const plays = [...document.querySelectorAll(".plays button")], shown = document.getElementById("play-board");
const before = given(document.querySelector("svg[data-dice]").dataset.board);
for (const button of plays) {
  button.addEventListener("click", () => {
    const off = button.getAttribute("aria-pressed") === "true";
    for (const other of plays) other.setAttribute("aria-pressed", "false");
    shown.toggleAttribute("hidden", off);
    if (off) return;
    button.setAttribute("aria-pressed", "true");
    const position = given(button.dataset.position);
    drawBoard(shown, { ...common, position, lit: changed(before, position) });
  });
}

const form = document.getElementById("rule");
whenSent(form, async () => {
  clearProblem(form);
  const chosen = form.elements.ruling.value;
  if (!chosen) {
    showProblem(form, { message: "Choose what is decided.", fields: { ruling: "Choose what is decided." } });
    return;
  }
  const button = form.querySelector("button.main");
  button.disabled = true;
  try {
    const done = await post(`/api/matches/${encodeURIComponent(form.dataset.match)}/turns/${form.dataset.turn}/ruling`, { ruling: chosen, note: form.elements.note.value });
    toast(done.words.join(" · "));
    location.reload();
  } catch (problem) {
    showProblem(form, problem);
    button.disabled = false;
  }
});

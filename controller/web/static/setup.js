import { START, drawBoard } from "./board.js";
import { clearProblem, get, post, showProblem, toast, whenSent } from "./api.js";

const $ = (id) => document.getElementById(id);
const NS = "http://www.w3.org/2000/svg";
const HANDLES = ["top left corner", "top right corner", "bottom right corner", "bottom left corner", "bar, top left", "bar, top right", "bar, bottom right", "bar, bottom left"];
const STEP = 4;
let setup = null, filled = false, dragging = false, marks = null, shown = "", size = [4, 3];

async function look() {
  if (document.visibilityState === "visible") {
    try {
      setup = await get("/api/setup");
      show();
    } catch (problem) {
      $("state").textContent = problem.message;
    }
  }
  setTimeout(look, 800);
}

async function picture() {
  if (document.visibilityState === "visible" && !dragging) {
    try {
      const answer = await fetch("/api/camera.jpg?width=960", { cache: "no-store" });
      if (answer.ok) {
        const address = URL.createObjectURL(await answer.blob());
        $("picture").addEventListener("load", () => { if (shown) URL.revokeObjectURL(shown); shown = address; }, { once: true });
        $("picture").src = address;
      }
    } catch { /* the next try tells */ }
  }
  setTimeout(picture, 700);
}

function sentence() {
  if (setup.phase === "no camera") return `No camera: ${setup.note}`;
  if (setup.phase === "watching") return "The board is known and being watched.";
  if (setup.phase === "finished") return "The pictures have ended.";
  if (!setup.look) return "Looking for the board";
  return setup.look.ready ? "The board is found and the opening reads exactly." : "The opening does not read yet:";
}

function show() {
  if (!filled) fill();
  if (setup.size) size = setup.size;
  document.body.dataset.darker = setup.darker;
  const looking = setup.phase === "looking" || setup.phase === "set up";
  $("state").textContent = sentence();
  $("state").className = `state ${setup.phase === "watching" || setup.look?.ready ? "good" : "warn"}`;
  $("running").hidden = !setup.running;
  const problems = setup.look?.problems ?? [];
  const key = JSON.stringify(problems);
  if ($("problems").dataset.key !== key) {
    $("problems").dataset.key = key;
    $("problems").replaceChildren(...problems.slice(0, 8).map((text) => Object.assign(document.createElement("li"), { textContent: text })));
  }
  $("find").hidden = !setup.marked || dragging;
  $("look").hidden = looking || dragging;
  $("leave").hidden = !(looking && setup.learned && !setup.waits) || dragging;
  $("start-words").textContent = setup.phase === "watching" || setup.look?.ready ? "" : "You may start now: the match begins as soon as the opening reads exactly.";
  const colours = setup.look?.colours ?? ["", ""];
  if (colours[0]) { $("colour-a").style.background = colours[0]; $("colour-b").style.background = colours[1]; }
  if (!dragging) drawMarks(setup.look?.corners ?? []);
  drawOpening();
}

function fill() {
  filled = true;
  const form = $("match").elements, length = form.namedItem("length"); // `.length` is how many there are
  form["names.0"].value = setup.match.names[0].length > 1 ? setup.match.names[0] : "";
  form["names.1"].value = setup.match.names[1].length > 1 ? setup.match.names[1] : "";
  length.replaceChildren(new Option("money play", "0"), ...setup.lengths.map((n) => new Option(`${n} point${n > 1 ? "s" : ""}`, String(n))));
  length.value = setup.lengths.includes(setup.match.length) ? String(setup.match.length) : "7";
  form.rules.replaceChildren(...Object.keys(setup.rules).map((name) => new Option(name, name)));
  form.rules.value = setup.match.rules in setup.rules ? setup.match.rules : "club";
  form.speaks.value = setup.match.speaks;
  form.clock.value = setup.match.clock ?? "";
  words();
  $("camera").replaceChildren(...setup.sources.map((source) => new Option(source.name, source.source)));
  $("camera").value = setup.source;
  $("camera-field").hidden = setup.sources.length < 2;
}

function words() {
  $("rules-words").textContent = setup.rules[$("match").elements.rules.value] ?? "";
}
$("match").elements.rules.addEventListener("change", words);

function drawOpening() {
  const points = setup.look?.points ?? [];
  if (!points.length) { $("opening").replaceChildren(); return; }
  const position = Array(28).fill(0);
  for (const { point, wanted, seen } of points) if (point <= 24) position[point - 1] = (wanted < 0 ? -1 : 1) * (seen ?? 0);
  drawBoard($("opening"), { position: setup.look.ready ? START : position, home: setup.look.home, names: setup.match.names, lit: points.filter((p) => !p.right && p.point <= 24).map((p) => p.point) });
}

// Corners and the bar's edges over the picture; dragged with finger, mouse or arrow keys.
function drawMarks(points) {
  const svg = $("marks");
  svg.setAttribute("viewBox", `0 0 ${size[0]} ${size[1]}`);
  if (points.length !== 8) { svg.replaceChildren(); return; }
  const outline = (from, cls) => {
    const node = document.createElementNS(NS, "polygon");
    node.setAttribute("points", points.slice(from, from + 4).map((p) => p.join(",")).join(" "));
    node.setAttribute("class", cls);
    return node;
  };
  const held = document.activeElement?.dataset?.handle;
  const nodes = [outline(0, "outline"), outline(4, "outline bar")];
  if (dragging) {
    points.forEach((point, n) => {
      const node = document.createElementNS(NS, "circle");
      node.setAttribute("cx", point[0]);
      node.setAttribute("cy", point[1]);
      node.setAttribute("r", size[0] / 45);
      node.setAttribute("class", `handle${n > 3 ? " bar" : ""}`);
      node.setAttribute("tabindex", "0");
      node.setAttribute("role", "button");
      node.setAttribute("aria-label", `${HANDLES[n]}; move it with the arrow keys`);
      node.dataset.handle = n;
      node.addEventListener("pointerdown", (event) => pull(event, n));
      node.addEventListener("keydown", (event) => nudge(event, n));
      nodes.push(node);
    });
  }
  svg.replaceChildren(...nodes);
  if (held !== undefined) svg.querySelector(`[data-handle="${held}"]`)?.focus();
}

function pull(event, n) {
  event.preventDefault();
  const svg = $("marks"), frame = svg.getBoundingClientRect();
  const move = (at) => {
    marks[n] = [((at.clientX - frame.left) / frame.width) * size[0], ((at.clientY - frame.top) / frame.height) * size[1]].map((x) => Math.round(x * 10) / 10);
    drawMarks(marks);
  };
  const end = () => {
    window.removeEventListener("pointermove", move);
    window.removeEventListener("pointerup", end);
    window.removeEventListener("pointercancel", end);
  };
  window.addEventListener("pointermove", move);
  window.addEventListener("pointerup", end);
  window.addEventListener("pointercancel", end);
}

function nudge(event, n) {
  const way = { ArrowLeft: [-STEP, 0], ArrowRight: [STEP, 0], ArrowUp: [0, -STEP], ArrowDown: [0, STEP] }[event.key];
  if (!way) return;
  event.preventDefault();
  const by = event.shiftKey ? 5 : 1;
  marks[n] = [marks[n][0] + way[0] * by, marks[n][1] + way[1] * by];
  drawMarks(marks);
}

function drag(on) {
  dragging = on;
  $("stage").classList.toggle("dragging", on);
  for (const id of ["keep-marks", "drop-marks"]) $(id).hidden = !on;
  $("drag").hidden = on;
  if (on) {
    const [w, h] = size, found = setup?.look?.corners ?? [];
    marks = found.length === 8 ? found.map((p) => [...p])
      : [[0.15, 0.15], [0.85, 0.15], [0.85, 0.85], [0.15, 0.85], [0.47, 0.15], [0.53, 0.15], [0.53, 0.85], [0.47, 0.85]].map(([x, y]) => [x * w, y * h]);
    drawMarks(marks);
  } else if (setup) show();
}

async function ask(address, value, words) {
  try {
    await post(address, value);
    toast(words);
    return true;
  } catch (problem) {
    toast(problem.message, true);
    return false;
  }
}

$("drag").addEventListener("click", () => drag(true));
$("drop-marks").addEventListener("click", () => drag(false));
$("keep-marks").addEventListener("click", async () => {
  if (await ask("/api/setup/board", { corners: marks.slice(0, 4), bar: marks.slice(4), size }, "The board's place is kept; looking at the opening.")) drag(false);
});
$("find").addEventListener("click", () => ask("/api/setup/find", {}, "Looking for the board."));
$("look").addEventListener("click", () => ask("/api/setup/look", {}, "Looking at the board anew. Set it up for a new game."));
$("leave").addEventListener("click", () => ask("/api/setup/keep", {}, "The board is kept as it was learned."));
$("camera").addEventListener("change", () => ask("/api/setup/camera", { source: $("camera").value }, "Taking the other camera."));

whenSent($("match"), async (form) => {
  const fields = form.elements;
  clearProblem(form);
  const agreed = {
    names: [fields["names.0"].value, fields["names.1"].value], length: Number(fields.namedItem("length").value), rules: fields.rules.value,
    speaks: fields.speaks.value, clock: fields.clock.value || null,
  };
  try {
    await post("/api/setup/start", agreed);
    location.assign("/");
  } catch (problem) {
    showProblem(form, problem);
  }
});

look();
picture();

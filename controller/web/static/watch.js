import { changed, drawBoard } from "./board.js";
import { listen } from "./stream.js";
import { drawMoves, rows } from "./moves.js";
import { post, toast } from "./api.js";

const $ = (id) => document.getElementById(id);
const WORD = { play: "Legal", dance: "No play", illegal: "Illegal play", stands: "Stands", roll_void: "Void roll", unsure: "Unsure" };

let board = null, events = [], chosen = null, found = [], clockAt = 0;
let near = (() => { try { return localStorage.getItem("near") === "B" ? "B" : "A"; } catch { return "A"; } })();

listen((news) => {
  if (news.fresh) events = [];
  const known = events.length ? events.at(-1).number : 0;
  events.push(...news.events.filter((event) => event.number > known));
  const sameMatch = board?.match === news.board.match;
  board = news.board;
  clockAt = performance.now();
  if (!sameMatch) chosen = null;
  found = rows(events, board.names);
  draw();
  document.documentElement.dataset.number = board.number;
  document.documentElement.dataset.at = news.at;
}, (alive) => { $("link").hidden = alive; });

function text(id, value) {
  const node = $(id);
  if (node.textContent !== value) node.textContent = value;
}

function draw() {
  const past = chosen === null ? null : found.find((row) => row.number === chosen);
  drawBoardNow(past);
  drawPlayer("near", near);
  drawPlayer("far", near === "A" ? "B" : "A");
  $("match-to").hidden = false;
  text("match-to", `${board.length ? `Match to ${board.length}` : "Money play"} · game ${Math.max(board.game, 1)}`);
  $("crawford").hidden = !board.crawford;
  $("past").hidden = !past;
  if (past) text("past", past.turn ? `You look at turn ${past.turn} of game ${past.game}` : "You look at the past");
  text("waiting", board.winner ? `${board.winner === "A" ? board.names[0] : board.names[1]} has won the match` : board.waiting);
  $("note").hidden = !board.note;
  text("note", board.note);
  drawVerdict();
  drawCorrection();
  drawList();
  drawActs();
}

function drawBoardNow(past) {
  const common = { near, home: board.home, names: board.names, cube: board.cube };
  if (past?.position) {
    const lit = past.before ? changed(past.before, past.position) : [];
    drawBoard($("board"), { ...common, cube: null, position: past.position, dice: past.dice ?? [], roller: past.player ?? null, lit });
  } else {
    const verdict = board.verdict;
    const lit = verdict && ["illegal", "unsure"].includes(verdict.kind) ? verdict.points : [];
    drawBoard($("board"), { ...common, position: board.shown, dice: board.dice, roller: board.roller, void: board.void, lit, lifts: board.correction });
  }
}

function drawPlayer(id, side) {
  const place = $(id), n = side === "A" ? 0 : 1;
  if (!place.children.length) {
    for (const cls of ["colour", "name", "clock", "score"]) place.append(Object.assign(document.createElement("span"), { className: cls }));
  }
  const [colour, name, clock, score] = place.children;
  const turn = board.cube.offered_by ? board.cube.offered_by !== side : board.turn === side;
  place.classList.toggle("turn", turn && board.phase === "watching" && board.game_phase !== "over");
  colour.className = `colour ${side}`;
  if (name.textContent !== board.names[n]) name.textContent = board.names[n];
  score.textContent = board.score[n];
  score.setAttribute("aria-label", `${board.score[n]} points`);
  place.setAttribute("aria-label", `${board.names[n]}${turn ? ", on turn" : ""}`);
  place.setAttribute("role", "group");
  clock.hidden = !board.clock;
  clock.dataset.side = side;
  tick();
}

function tick() {
  if (!board?.clock) return;
  const passed = (performance.now() - clockAt) / 1000;
  for (const node of document.querySelectorAll(".player .clock")) {
    const side = node.dataset.side, n = side === "A" ? 0 : 1;
    const runs = board.clock.running === side && board.phase === "watching";
    const left = board.clock.left[n] - (runs ? Math.max(passed - board.clock.delay_left, 0) : 0);
    const whole = Math.floor(Math.abs(left));
    const shown = `${left < 0 ? "−" : ""}${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
    if (node.textContent !== shown) node.textContent = shown;
    node.classList.toggle("low", left < 30);
    node.classList.toggle("runs", runs);
  }
}
setInterval(tick, 500);

function drawVerdict() {
  const place = $("verdict"), verdict = board.verdict;
  const key = verdict ? `${verdict.number}` : "";
  if (place.dataset.key === key) return;
  place.dataset.key = key;
  if (!verdict) { place.replaceChildren(); return; }
  const card = document.createElement("p");
  card.className = `verdict ${verdict.kind}`;
  const word = Object.assign(document.createElement("span"), { className: "word", textContent: `${mark(verdict.kind)} ${WORD[verdict.kind]}${verdict.clause ? ` · ${verdict.clause}` : ""}` });
  card.append(word, sentence(verdict));
  place.replaceChildren(card);
}

function mark(kind) {
  return kind === "play" || kind === "dance" ? "✓" : kind === "unsure" ? "?" : "✗";
}

function sentence(verdict) {
  return verdict.words.replace(/^(ILLEGAL|VOID ROLL|UNSURE)[^:]*: /, "");
}

function drawCorrection() {
  const place = $("correction"), key = JSON.stringify(board.correction);
  if (place.dataset.key === key) return;
  place.dataset.key = key;
  if (!board.correction.length) { place.replaceChildren(); return; }
  const list = Object.assign(document.createElement("ol"), { className: "lifts" });
  for (const lift of board.correction) list.append(Object.assign(document.createElement("li"), { textContent: lift.words }));
  const head = Object.assign(document.createElement("p"), { textContent: "To put the board right:" });
  head.className = "soft small";
  place.replaceChildren(head, list);
}

function drawList() {
  const box = $("moves"), low = box.scrollHeight - box.scrollTop - box.clientHeight < 60;
  const key = `${board.match} ${events.length} ${chosen}`;
  if (box.dataset.key === key) return;
  const focused = box.contains(document.activeElement) ? document.activeElement.dataset.number : undefined;
  box.dataset.key = key;
  $("no-moves").hidden = found.length > 0;
  drawMoves($("list"), found, board.names, chosen, (row) => { chosen = row.number; draw(); });
  if (focused) box.querySelector(`[data-number="${focused}"]`)?.focus({ preventScroll: true });
  if (chosen !== null) box.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" });
  else if (low || !box.dataset.seen) box.scrollTop = box.scrollHeight;
  box.dataset.seen = "1";
}

function step(by) {
  const turns = found.filter((row) => row.position);
  if (!turns.length) return;
  const at = chosen === null ? turns.length : turns.findIndex((row) => row.number === chosen);
  const to = by === -Infinity ? 0 : by === Infinity ? turns.length : Math.min(Math.max(at + by, 0), turns.length);
  chosen = to >= turns.length ? null : turns[to].number;
  draw();
}

$("first").addEventListener("click", () => step(-Infinity));
$("back").addEventListener("click", () => step(chosen === null ? -2 : -1));
$("forward").addEventListener("click", () => step(1));
$("live").addEventListener("click", () => step(Infinity));
$("turn").addEventListener("click", () => {
  near = near === "A" ? "B" : "A";
  try { localStorage.setItem("near", near); } catch { /* a private window keeps nothing */ }
  if (board) draw();
});
document.addEventListener("keydown", (event) => {
  if (event.target.closest("input, select, textarea, dialog") || event.altKey || event.ctrlKey || event.metaKey) return;
  const key = { ArrowLeft: "back", ArrowRight: "forward", Home: "first", End: "live" }[event.key];
  if (key) { event.preventDefault(); $(key).click(); }
});

// What the director may do now; the referee decides all the same.
function drawActs() {
  const acts = $("acts");
  if (!acts) return;
  const lying = board.game_phase === "lying", rolls = board.game_phase === "roll", offered = board.cube.offered_by !== null;
  const may = {
    double: rolls && !offered && board.turn !== null, take: offered, pass: offered, call: rolls, stands: board.verdict?.kind === "illegal", undo: rolls || lying,
    "end-match": !board.ended, accept: board.resigning !== null, refuse: board.resigning !== null, commit: lying, "new-game": !["start", "over"].includes(board.game_phase),
  };
  for (const button of acts.querySelectorAll("[data-act]")) button.disabled = board.phase !== "watching" || !may[button.dataset.act];
  $("resign").disabled = board.phase !== "watching" || !(rolls || lying) || board.turn === null || board.resigning !== null;
}

$("acts")?.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-act]");
  if (!button) return;
  const sure = { "new-game": "Break this game off without a result?", "end-match": "End the match as it stands? No more games are refereed in it." }[button.dataset.act];
  if (sure && !confirm(sure)) return;
  button.disabled = true;
  await act(button.dataset.act);
});

$("resign")?.addEventListener("click", () => {
  const fields = $("resigning").querySelector("form").elements;
  for (const option of fields.player.options) option.textContent = board.names[option.value === "A" ? 0 : 1];
  fields.player.value = board.turn ?? "A";
  $("resigning").returnValue = "";
  $("resigning").showModal();
});
$("resigning")?.addEventListener("close", () => {
  if ($("resigning").returnValue !== "offer") return;
  const fields = $("resigning").querySelector("form").elements;
  act("resign", { player: fields.player.value, how: fields.how.value });
});

async function act(name, more = {}) {
  try {
    const done = await post(`/api/acts/${name}`, { ...more, match: board.match, number: board.number });
    toast(done.words.join(" · ") || "Done");
  } catch (problem) {
    toast(problem.message, true);
  }
  if (board) drawActs();
}

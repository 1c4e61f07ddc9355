// One match: its replay, its files, its analysis.
import { drawBoard } from "./board.js";
import { get, post, showProblem, clearProblem, toast, whenSent } from "./api.js";

const $ = (id) => document.getElementById(id);
const id = encodeURIComponent($("replay").dataset.match);
const buttons = [...document.querySelectorAll("#moves [data-turn]")];
let match = null, at = -1;
let near = (() => { try { return localStorage.getItem("near") === "B" ? "B" : "A"; } catch { return "A"; } })();

function draw() {
  if (!match) return;
  const turn = match.turns_told[at];
  const cube = turn ? { value: turn.cube, face: turn.cube === 1 ? 64 : face(turn.cube), owner: turn.cube_owner, offered_by: null } : { value: 1, face: 64, owner: null, offered_by: null };
  drawBoard($("board"), { position: turn?.after, near, home: match.home, names: match.names, dice: turn?.dice ?? [], roller: turn?.player ?? null, lit: turn?.lit ?? [], cube });
  const name = turn?.player ? match.names[turn.player === "A" ? 0 : 1] : "";
  $("told").textContent = turn ? `Turn ${turn.number}: ${name} ${turn.dice.join("-")} ${turn.text}${turn.corrected ? " (put right)" : ""}` : match.turns_told.length ? "The beginning" : "No turn has been played yet.";
  const link = $("open-turn");
  link.hidden = !turn;
  if (turn) link.href = `/matches/${id}/turns/${turn.number}`;
  for (const button of buttons) {
    if (turn && Number(button.dataset.turn) === turn.number) {
      button.setAttribute("aria-current", "true");
      const box = $("moves"), over = button.offsetTop - box.offsetTop;
      if (over < box.scrollTop || over + button.offsetHeight > box.scrollTop + box.clientHeight) box.scrollTop = over - box.clientHeight / 2;
    } else button.removeAttribute("aria-current");
  }
  $("first").disabled = $("back").disabled = at < 0;
  $("forward").disabled = $("last").disabled = at >= match.turns_told.length - 1;
  history.replaceState(null, "", turn ? `#turn-${turn.number}` : location.pathname);
}

/** Past 64 the cube begins again at 2. */
function face(value) {
  return 1 << ((Math.log2(value) - 1) % 6 + 1);
}

function go(to) {
  at = Math.min(Math.max(to, -1), match.turns_told.length - 1);
  draw();
}

const steps = { first: () => go(-1), back: () => go(at - 1), forward: () => go(at + 1), last: () => go(Infinity) };
for (const [name, act] of Object.entries(steps)) $(name).addEventListener("click", () => match && act());
$("round").addEventListener("click", () => {
  near = near === "A" ? "B" : "A";
  try { localStorage.setItem("near", near); } catch { /* a private window keeps nothing */ }
  draw();
});
for (const button of buttons) button.addEventListener("click", () => match && go(Number(button.dataset.turn) - 1));
document.addEventListener("keydown", (event) => {
  if (event.target.closest("input, select, textarea, dialog") || event.altKey || event.ctrlKey || event.metaKey) return;
  const key = { ArrowLeft: "back", ArrowRight: "forward", Home: "first", End: "last" }[event.key];
  if (key) { event.preventDefault(); $(key).click(); }
});

drawBoard($("board"), { near });
get(`/api/matches/${id}`).then((found) => {
  match = found;
  const wanted = /^#turn-(\d+)$/.exec(location.hash);
  go(wanted ? Number(wanted[1]) - 1 : Infinity);
}).catch((problem) => toast(problem.message, true));

// A file that cannot hold the match is refused with the reason: it is asked for here, so that the reason can be shown.
for (const link of document.querySelectorAll("[data-file]")) {
  link.addEventListener("click", async (event) => {
    event.preventDefault();
    $("file-problem").textContent = "";
    link.setAttribute("aria-busy", "true");
    try {
      const response = await fetch(link.href, { cache: "no-store" });
      if (!response.ok) throw new Error((await response.json().catch(() => ({}))).error ?? "The table gave no file.");
      const name = /filename="([^"]+)"/.exec(response.headers.get("content-disposition") ?? "")?.[1] ?? "match";
      const url = URL.createObjectURL(await response.blob());
      const save = Object.assign(document.createElement("a"), { href: url, download: name });
      document.body.append(save);
      save.click();
      save.remove();
      setTimeout(() => URL.revokeObjectURL(url), 30000);
    } catch (problem) {
      $("file-problem").textContent = problem instanceof TypeError ? "The table cannot be reached." : problem.message;
    }
    link.removeAttribute("aria-busy");
  });
}

// Analysis

const ASK_MS = 1000;
let waiting = 0;

function node(name, cls, text) {
  return Object.assign(document.createElement(name), { className: cls ?? "", textContent: text ?? "" });
}

function showAnalysis(view) {
  const runs = view.state === "running";
  $("progress").hidden = !runs;
  if (runs) {
    if (view.total) { $("bar").max = view.total; $("bar").value = view.done; } else $("bar").removeAttribute("value");
    $("progress-words").textContent = view.total ? `${view.done} of ${view.total} decisions, ${view.plies} plies` : `starting, ${view.plies} plies`;
  }
  if ($("stop")) $("stop").hidden = !runs;
  const start = document.querySelector("#analyse .main");
  if (start) start.disabled = runs;
  const now = $("analysis-now"), said = view.state === "failed" ? view.problem : view.state === "none" && view.possible ? "Not analysed yet." : !view.possible && !view.result ? view.why_not : "";
  if (now.textContent.trim() !== said) now.replaceChildren(...(said ? [node("p", view.state === "failed" ? "bad" : "", said)] : []));
  $("result").replaceChildren(...(view.result ? result(view.result) : []));
  clearTimeout(waiting);
  if (runs) waiting = setTimeout(ask, ASK_MS);
}

function result(found) {
  const table = node("table"), head = node("thead"), body = node("tbody"), row = node("tr");
  for (const [text, cls] of [["Player", ""], ["Error rate", "n"], ["Plays", "n"], ["Cube", "n"], ["Luck", "n"]]) row.append(Object.assign(node("th", cls, text), { scope: "col" }));
  head.append(row);
  for (const side of found.sides) {
    const line = node("tr"), name = node("td", "", side.name);
    name.append(node("div", "soft small", `${side.rating}, ${side.decisions} decisions`));
    line.append(name, node("td", "n", side.error_rate.toFixed(1)), node("td", "n", side.play_error.toFixed(3)), node("td", "n", side.cube_error.toFixed(3)), node("td", "n", `${side.luck > 0 ? "+" : ""}${side.luck.toFixed(2)}`));
    body.append(line);
  }
  table.append(head, body);
  const wide = node("div", "wide");
  wide.append(table);
  const words = node("p", "soft small", `gnubg at ${found.plies} plies, ${Math.round(found.seconds)} s. Error rate: thousandths of a point lost a decision. Plays and cube: points lost. Luck: points the dice gave.`);
  const parts = [wide, words];
  if (found.worst.length) {
    parts.push(node("h3", "", "The most expensive decisions"));
    const list = node("ol", "worst");
    for (const one of found.worst) list.append(mistake(one, found));
    parts.push(list);
  }
  return parts;
}

function mistake(one, found) {
  const item = node("li"), names = found.sides.map((side) => side.name), words = node("p");
  words.append(node("span", "loss", `−${one.loss.toFixed(3)}`), ` ${names[one.player === "A" ? 0 : 1]}${one.dice.length ? ` ${one.dice.join("-")}` : ""}: ${one.did}. Better: ${one.better}. `, node("span", "soft small", `game ${one.game}, decision ${one.turn}`));
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  drawBoard(svg, { position: one.position, near: one.player, home: match?.home ?? "right", names, dice: one.dice, roller: one.player });
  item.append(words, svg);
  return item;
}

async function ask() {
  try {
    showAnalysis(await get(`/api/matches/${id}/analysis`));
  } catch (problem) {
    if (problem.status === 0) waiting = setTimeout(ask, 4 * ASK_MS);
    else toast(problem.message, true);
  }
}

const form = $("analyse");
whenSent(form, async () => {
  clearProblem(form);
  try {
    showAnalysis(await post(`/api/matches/${id}/analysis`, { plies: Number(form.elements.plies.value) }));
  } catch (problem) {
    showProblem(form, problem);
  }
});
$("stop")?.addEventListener("click", async () => {
  try {
    showAnalysis(await post(`/api/matches/${id}/analysis`, {}, "DELETE"));
  } catch (problem) {
    toast(problem.message, true);
  }
});
if (["running", "done", "failed"].includes($("analysis").dataset.state)) ask();

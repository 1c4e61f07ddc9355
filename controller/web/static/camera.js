import { drawBoard } from "./board.js";
import { get } from "./api.js";

const $ = (id) => document.getElementById(id);
const picture = $("picture"), wide = Math.min(1280, Math.ceil(Math.min(innerWidth, 1280) * Math.min(devicePixelRatio || 1, 2) / 320) * 320);
let home = "right", names = ["A", "B"], last = "";

// Single pictures, each asked for when the last has come: a slow radio gets fewer, none queue up.
async function look() {
  if (document.visibilityState === "visible") {
    try {
      const answer = await fetch(`/api/camera.jpg?width=${wide}&reading=${$("reading").checked}`, { cache: "no-store" });
      $("closed").hidden = answer.status !== 403;
      picture.hidden = !answer.ok;
      if (answer.ok) {
        const address = URL.createObjectURL(await answer.blob());
        picture.addEventListener("load", () => { if (last) URL.revokeObjectURL(last); last = address; }, { once: true });
        picture.src = address;
      }
      if (answer.ok) show(await get("/api/reading"));
    } catch { /* the next try tells */ }
  }
  setTimeout(look, 450);
}

function show(reading) {
  $("note").hidden = !reading.note;
  $("note").textContent = reading.note;
  const position = [...reading.points.map((p) => p.count), reading.bar[0], reading.bar[1]];
  if (position.length === 26) {
    const off = [15 - count(position, 1) - reading.bar[0], 15 - count(position, -1) - reading.bar[1]].map((n) => Math.max(n, 0));
    const unsure = reading.points.filter((p) => p.unsure).map((p) => p.point);
    drawBoard($("board"), { position: [...position, ...off], home, names, lit: unsure });
    $("doubts").textContent = unsure.length ? `In doubt: point${unsure.length > 1 ? "s" : ""} ${unsure.join(", ")}.` : "No point is in doubt.";
  }
  const pieces = [...reading.dice.map((die) => ["die", die.value ?? "?", `${die.where}, ${die.state.replace("_", " ")}`, die.sure])];
  if (reading.cube) pieces.push(["cube", reading.cube.value ?? "?", reading.cube.where, reading.cube.sure]);
  $("pieces").replaceChildren(...(pieces.length ? pieces : [["no die or cube is seen", "", "", null]]).map((cells) => {
    const row = document.createElement("tr");
    cells.forEach((cell, n) => row.append(Object.assign(document.createElement("td"), { textContent: n === 3 ? (cell === null ? "" : `${Math.round(cell * 100)} %`) : cell })));
    return row;
  }));
}

function count(position, sign) {
  return position.slice(0, 24).reduce((sum, n) => sum + Math.max(n * sign, 0), 0);
}

get("/api/board").then((board) => { home = board.home; names = board.names; }).catch(() => {});
$("reading").addEventListener("change", () => { picture.alt = $("reading").checked ? "The board as the camera sees it, with the reading drawn over it" : "The board as the camera sees it"; });
look();

// The move list: a fold over the events, as a scoresheet has them.

const PLAYED = { play: 1, dance: 1, illegal: 1, stands: 1 };
const TOLD = { roll_void: "warn", unsure: "warn", taken_back: "warn", position_set: "warn", cube_set: "warn", score_set: "warn", broken_off: "warn", called: "warn", shut_out: "", flag_fall: "warn", resign: "", resign_refused: "", match_over: "", ruling: "warn" };

/** Rows of the list: {number, kind, game, turn, player, dice, text, position, lit, bad}. */
export function rows(events, names) {
  const found = [];
  let game = 0, turn = 0;
  for (const { number, event, data, words } of events) {
    if (event === "game_start") {
      game += 1;
      turn = 0;
      found.push({ number, kind: "game", game, text: `Game ${game}`, position: data.position });
    } else if (PLAYED[event]) {
      if (event !== "stands" && !data.corrected) turn += 1;
      const text = event === "play" ? (data.short ?? data.moves) + (data.corrected ? " (put right)" : "")
        : event === "dance" ? "cannot move" : event === "illegal" ? `illegal: ${data.sentence}` : "the illegal play stands";
      found.push({ number, kind: "turn", event, game, turn, player: data.player, dice: data.dice ?? [], text, position: data.position, before: data.before, bad: event === "illegal" || event === "stands" });
    } else if (event === "double" || event === "take" || event === "pass") {
      const text = event === "double" ? `doubles to ${data.value}` : event === "take" ? "takes" : "passes";
      found.push({ number, kind: "cube", game, player: data.player, text });
    } else if (event === "game_over") {
      found.push({ number, kind: "end", game, text: `${data.winner === "A" ? names[0] : names[1]} wins ${data.points} ${data.points === 1 ? "point" : "points"}${data.how && data.how !== "single" && data.how !== "pass" ? ` (${data.how})` : ""}` });
    } else if (event in TOLD) {
      found.push({ number, kind: "told", game, text: words, cls: TOLD[event], position: data.position });
    }
  }
  return found;
}

function span(cls, text) {
  const node = document.createElement("span");
  node.className = cls;
  node.textContent = text;
  return node;
}

/** Draw the rows into an <ol>; `chosen`: number of the row that is shown on the board, null for the present; `choose(row)`: one was taken. */
export function drawMoves(list, found, names, chosen, choose) {
  const items = found.map((row) => {
    const item = document.createElement("li");
    if (row.kind === "game") {
      const head = document.createElement("h3");
      head.textContent = row.text;
      item.append(head);
    } else if (row.position) {
      const button = document.createElement("button");
      button.type = "button";
      button.dataset.number = row.number;
      if (row.number === chosen) button.setAttribute("aria-current", "true");
      const colour = span(`colour ${row.player ?? ""}`, "");
      if (!row.player) colour.hidden = true;
      const who = row.player ? (row.player === "A" ? names[0] : names[1]) : "";
      button.append(span("no", row.turn ? String(row.turn) : ""), colour, span("dice", (row.dice ?? []).join("-")), span(`text${row.bad ? " bad" : ""} ${row.cls ?? ""}`, row.text));
      button.setAttribute("aria-label", `${who} ${(row.dice ?? []).join(" ")} ${row.text}`.trim());
      button.addEventListener("click", () => choose(row));
      item.append(button);
    } else {
      const who = row.player ? `${row.player === "A" ? names[0] : names[1]} ` : "";
      item.append(Object.assign(document.createElement("div"), { className: `other ${row.cls ?? ""}`, textContent: who + row.text }));
    }
    return item;
  });
  list.replaceChildren(...items);
}

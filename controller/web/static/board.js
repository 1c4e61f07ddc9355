// A backgammon board as SVG, from a position of 28 whole numbers: points 1 to 24 in A's numbering (above zero A's checkers, below zero
// B's), A's and B's on the bar, A's and B's off. Places beyond the points: 25 A's bar, 26 B's bar, 0 A's off, 27 B's off.

const NS = "http://www.w3.org/2000/svg";
const POINT = 40, TALL = 5 * POINT, GAP = 64, BAR = 48, TRAY = 56, RIM = 12, NUMBERS = 24, INNER = 6 * POINT;
export const WIDTH = 2 * RIM + 2 * TRAY + 2 * INNER + BAR;
export const HEIGHT = 2 * RIM + 2 * NUMBERS + 2 * TALL + GAP;
const TOP = RIM + NUMBERS, BOTTOM = HEIGHT - RIM - NUMBERS, MIDDLE = HEIGHT / 2;
const LEFT = RIM + TRAY, RIGHT = LEFT + INNER + BAR, BAR_X = LEFT + INNER + BAR / 2;
const ROWS = 5;
const PIPS = {
  1: [[0, 0]], 2: [[-1, -1], [1, 1]], 3: [[-1, -1], [0, 0], [1, 1]], 4: [[-1, -1], [1, -1], [-1, 1], [1, 1]],
  5: [[-1, -1], [1, -1], [0, 0], [-1, 1], [1, 1]], 6: [[-1, -1], [1, -1], [-1, 0], [1, 0], [-1, 1], [1, 1]],
};
export const START = [-2, 0, 0, 0, 0, 5, 0, 3, 0, 0, 0, -5, 5, 0, 0, 0, -3, 0, -5, 0, 0, 0, 0, 2, 0, 0, 0, 0];

function make(name, attributes = {}, text = "") {
  const node = document.createElementNS(NS, name);
  for (const [key, value] of Object.entries(attributes)) if (value !== null && value !== undefined) node.setAttribute(key, value);
  if (text !== "") node.textContent = text;
  return node;
}

const PLACES = [...Array.from({ length: 24 }, (_, n) => n + 1), 25, 26, 0, 27];
/** Places where two positions of 28 numbers differ. */
export function changed(before, after) {
  return PLACES.filter((_, n) => before[n] !== after[n]);
}

/** Where things lie, for a viewer on A's or B's side and A's home on the right or left as A sees it. */
export function layout(near = "A", home = "right") {
  const nearHome = near === "A" ? home : home === "right" ? "left" : "right";
  const own = (place) => near === "A" ? place : 25 - place;
  const column = (nearPoint) => { // 0 to 11 from the left
    const fromHome = nearPoint <= 12 ? nearPoint - 1 : 24 - nearPoint;
    return nearHome === "right" ? 11 - fromHome : fromHome;
  };
  const x = (nearPoint) => {
    const c = column(nearPoint);
    return (c < 6 ? LEFT : RIGHT) + (c % 6) * POINT + POINT / 2;
  };
  const tray = nearHome === "right" ? RIGHT + INNER : RIM;
  const cube = (nearHome === "right" ? RIM : RIGHT + INNER) + TRAY / 2;
  return { near, home: nearHome, own, x, tray, cube, below: (place) => own(place) <= 12 };
}

/** The middle of a place, and which way its stack grows: {x, y, step}. */
export function spot(at, place) {
  const nearBar = at.near === "A" ? 25 : 26, farBar = at.near === "A" ? 26 : 25;
  const nearOff = at.near === "A" ? 0 : 27;
  if (place === nearBar) return { x: BAR_X, y: MIDDLE + 8 + POINT / 2, step: POINT };
  if (place === farBar) return { x: BAR_X, y: MIDDLE - 8 - POINT / 2, step: -POINT };
  if (place === 0 || place === 27) {
    const below = place === nearOff;
    return { x: at.tray + TRAY / 2, y: below ? BOTTOM - TALL / 2 : TOP + TALL / 2, step: 0 };
  }
  const below = at.below(place);
  return { x: at.x(at.own(place)), y: below ? BOTTOM - POINT / 2 : TOP + POINT / 2, step: below ? -POINT : POINT };
}

function disc(x, y, side, label) {
  const group = make("g", { class: `checker ${side}` });
  group.append(make("circle", { cx: x, cy: y, r: POINT / 2 - 1 }), make("circle", { class: "ring", cx: x, cy: y, r: POINT * 0.33 }));
  if (label) group.append(make("text", { x, y: y + 6.5, class: "count" }, label));
  return group;
}

function stack(group, at, place, count, side) {
  const { x, y, step } = spot(at, place);
  const shown = Math.min(count, ROWS);
  for (let n = 0; n < shown; n += 1) group.append(disc(x, y + n * step, side, n === shown - 1 && count > ROWS ? String(count) : ""));
}

function die(x, y, value, side) {
  const group = make("g", { class: `die ${side}` });
  group.append(make("rect", { x: x - 18, y: y - 18, width: 36, height: 36, rx: 7 }));
  for (const [dx, dy] of PIPS[value] ?? []) group.append(make("circle", { cx: x + dx * 10, cy: y + dy * 10, r: 3.7 }));
  return group;
}

function arrow(at, lift) {
  const from = spot(at, lift.start), to = spot(at, lift.end);
  const group = make("g", { class: "arrow" });
  const dx = to.x - from.x, dy = to.y - from.y, long = Math.hypot(dx, dy) || 1;
  const bend = Math.abs(from.y - to.y) < 1 ? (from.step || -POINT) * 1.6 : 0;
  const tip = { x: to.x - (dx / long) * 4, y: to.y - (dy / long) * 4 };
  group.append(make("path", { class: "shaft", d: `M${from.x} ${from.y}Q${(from.x + to.x) / 2} ${(from.y + to.y) / 2 + bend} ${tip.x} ${tip.y}` }));
  const angle = Math.atan2(tip.y - ((from.y + to.y) / 2 + bend), tip.x - (from.x + to.x) / 2);
  const wing = (turn) => `${tip.x - 15 * Math.cos(angle + turn)} ${tip.y - 15 * Math.sin(angle + turn)}`;
  group.append(make("path", { class: "tip", d: `M${tip.x} ${tip.y}L${wing(0.45)}L${wing(-0.45)}Z` }));
  if (lift.checkers > 1) group.append(make("text", { x: from.x, y: from.y + 6, class: "many" }, `${lift.checkers}×`));
  return group;
}

/** The position in words, for those who hear the page. */
export function describe(position, names = ["A", "B"]) {
  const side = (sign, player, bar, off) => {
    const parts = [];
    for (let p = 24; p >= 1; p -= 1) {
      const n = sign > 0 ? position[p - 1] : -position[24 - p];
      if (n > 0) parts.push(`${n} on ${p}`);
    }
    if (bar) parts.push(`${bar} on the bar`);
    if (off) parts.push(`${off} off`);
    return `${player}: ${parts.join(", ") || "none"}`;
  };
  return `${side(1, names[0], position[24], position[26])}. ${side(-1, names[1], position[25], position[27])}.`;
}

/**
 * Draw into an <svg>. What may be given:
 *   position: 28 numbers; near: "A" or "B", who sits below; home: "right" or "left", where A's home is as A sees it;
 *   names; dice: numbers; roller: "A", "B" or null; void: the roll does not count; cube: {value, face, owner, offered_by} or null;
 *   lit: places in question; lifts: [{start, end, checkers}] arrows; tap: function(place) makes every place a button;
 *   label: function(place, count) names a button.
 */
export function drawBoard(svg, options) {
  const { position = START, near = "A", home = "right", names = ["A", "B"], dice = [], roller = null, cube = null, lit = [], lifts = [], tap = null } = options;
  const at = layout(near, home), marked = new Set(lit);
  const focused = tap ? document.activeElement?.dataset?.place : undefined;
  svg.setAttribute("viewBox", `0 0 ${WIDTH} ${HEIGHT}`);
  svg.classList.add("board");
  svg.setAttribute("role", tap ? "group" : "img");
  svg.setAttribute("aria-label", `${tap ? "Board, tap a point to change it" : "Board"}. ${describe(position, names)}`);
  const parts = [
    make("rect", { class: "frame", width: WIDTH, height: HEIGHT, rx: 12 }),
    make("rect", { class: "field", x: LEFT, y: TOP, width: INNER, height: BOTTOM - TOP }),
    make("rect", { class: "field", x: RIGHT, y: TOP, width: INNER, height: BOTTOM - TOP }),
  ];
  for (const [y, place] of [[TOP, near === "A" ? 27 : 0], [BOTTOM - TALL, near === "A" ? 0 : 27]]) {
    parts.push(make("rect", { class: `tray${marked.has(place) ? " lit" : ""}`, x: at.tray + 8, y, width: TRAY - 16, height: TALL, rx: 5 }));
  }
  const checkers = make("g");
  for (let place = 1; place <= 24; place += 1) {
    const own = at.own(place), below = own <= 12, x = at.x(own);
    const edge = below ? BOTTOM : TOP, tip = below ? BOTTOM - TALL + 8 : TOP + TALL - 8;
    const class_ = `point ${own % 2 ? "odd" : "even"}${marked.has(place) ? " lit" : ""}`;
    parts.push(make("polygon", { class: class_, points: `${x - POINT / 2},${edge} ${x + POINT / 2},${edge} ${x},${tip}` }));
    parts.push(make("text", { class: `number${marked.has(place) ? " lit" : ""}`, x, y: below ? BOTTOM + NUMBERS / 2 + 5 : TOP - NUMBERS / 2 + 5 }, String(own)));
    const n = position[place - 1];
    if (n) stack(checkers, at, place, Math.abs(n), n > 0 ? "A" : "B");
  }
  for (const [place, count, side] of [[25, position[24], "A"], [26, position[25], "B"]]) {
    if (marked.has(place)) {
      const lower = side === near;
      parts.push(make("rect", { class: "bar lit", x: BAR_X - BAR / 2 + 3, y: lower ? MIDDLE + 4 : TOP, width: BAR - 6, height: TALL + GAP / 2 - 4, rx: 5 }));
    }
    if (count) stack(checkers, at, place, count, side);
  }
  for (const [place, count, side] of [[0, position[26], "A"], [27, position[27], "B"]]) {
    const below = side === near, slot = TALL / 15;
    for (let n = 0; n < Math.min(count, 15); n += 1) {
      const y = below ? BOTTOM - slot * (n + 1) : TOP + slot * n;
      checkers.append(make("rect", { class: `off ${side}`, x: at.tray + 10, y: y + 1, width: TRAY - 20, height: slot - 2, rx: 3 }));
    }
    if (count) checkers.append(make("text", { class: "number", x: at.tray + TRAY / 2, y: below ? BOTTOM + NUMBERS / 2 + 5 : TOP - NUMBERS / 2 + 5 }, `${count} off`));
  }
  // The roller throws into the half on his right.
  const half = roller === null || roller === near ? RIGHT : LEFT;
  const thrown = make("g", { class: options.void ? "void" : null });
  dice.forEach((value, n) => thrown.append(die(half + INNER / 2 + (n - (dice.length - 1) / 2) * 50, MIDDLE, value, roller ?? near)));
  checkers.append(thrown);
  if (cube) {
    const holder = cube.offered_by ? (cube.offered_by === "A" ? "B" : "A") : cube.owner;
    const y = holder === null ? MIDDLE : holder === near ? BOTTOM - 26 : TOP + 26;
    const face = cube.offered_by ? cube.value * 2 : cube.face;
    const group = make("g", { class: `cube${cube.offered_by ? " offered" : ""}` });
    group.append(make("rect", { x: at.cube - 21, y: y - 21, width: 42, height: 42, rx: 8 }), make("text", { x: at.cube, y: y + 7.5 }, String(face)));
    checkers.append(group);
  }
  parts.push(checkers, ...lifts.map((lift) => arrow(at, lift)));
  if (tap) parts.push(...buttons(at, position, tap, options.label ?? ((place) => `place ${place}`)));
  svg.replaceChildren(...parts);
  if (focused !== undefined) svg.querySelector(`[data-place="${focused}"]`)?.focus();
}

function buttons(at, position, tap, label) {
  const half = POINT / 2, found = [];
  const add = (place, x, y, width, height, count) => {
    const node = make("rect", { class: "tap", x, y, width, height, rx: 6, role: "button", tabindex: 0, "data-place": place, "aria-label": label(place, count) });
    node.addEventListener("click", (event) => tap(place, event));
    node.addEventListener("keydown", (event) => {
      if (event.key === "Enter" || event.key === " ") { event.preventDefault(); tap(place, event); }
    });
    found.push(node);
  };
  for (let place = 1; place <= 24; place += 1) {
    const below = at.below(place);
    add(place, at.x(at.own(place)) - half, below ? MIDDLE + 12 : TOP, POINT, below ? BOTTOM - MIDDLE - 12 : MIDDLE - 12 - TOP, position[place - 1]);
  }
  const lower = (place) => at.near === "A" ? place === 25 || place === 0 : place === 26 || place === 27;
  for (const [place, count] of [[25, position[24]], [26, position[25]]]) {
    add(place, BAR_X - BAR / 2 + 2, lower(place) ? MIDDLE + 6 : TOP, BAR - 4, BOTTOM - MIDDLE - 6, count);
  }
  for (const [place, count] of [[0, position[26]], [27, position[27]]]) {
    add(place, at.tray + 4, lower(place) ? BOTTOM - TALL : TOP, TRAY - 8, TALL, count);
  }
  return found;
}

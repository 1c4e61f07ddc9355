"""The 40-pin header: the bill of pins, and the wiring diagram as SVG, both drawn from the wiring. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from xml.sax.saxutils import escape

from controller.panel.lamps import Lamp
from controller.panel.settings import Wiring

# Odd pins first, then even pins, each from the end with the 3.3 V pin.
_ODD: list[int | str] = ["3V3", 2, 3, 4, "GND", 17, 27, 22, "3V3", 10, 9, 11, "GND", "ID", 5, 6, 13, 19, 26, "GND"]
_EVEN: list[int | str] = ["5V", "5V", "GND", 14, 15, 18, "GND", 23, 24, "GND", 25, 8, 7, "ID", "GND", 12, "GND", 16, 20, 21]
HEADER: dict[int, int | str] = {2 * i + 1: name for i, name in enumerate(_ODD)} | {2 * i + 2: name for i, name in enumerate(_EVEN)}
"""Pin of the header, 1 to 40, to its GPIO number or its other name."""
PIN_OF: dict[int, int] = {name: pin for pin, name in HEADER.items() if isinstance(name, int)}

COLOURS: dict[Lamp, str] = {
    Lamp.ALL_WELL: "#1f9d3a",
    Lamp.ILLEGAL: "#d3222a",
    Lamp.VOID: "#e09a00",
    Lamp.ATTENTION: "#2f6fd0",
    Lamp.TURN_A: "#8a8a8a",
    Lamp.TURN_B: "#8a8a8a",
}
"""The colour of a lamp on the diagram, and to buy; the others may be any."""


@dataclass(frozen=True, slots=True)
class Row:
    """One wire of the bill: pin of the header, GPIO, what it goes to, and how."""

    pin: int
    gpio: int
    what: str
    how: str


LAMP_WAY = "330 ohm resistor, long leg of the LED; short leg to a GND pin"
LAMP_WAY_LOW = "short leg of the LED, long leg through 330 ohm to 3V3"
BUTTON_WAY = "one contact of the button; the other to a GND pin"
BUZZER_WAY = "plus of an active buzzer for 3 V, 10 mA at most; minus to a GND pin"
BAR_WAY = "of the light bar, which has its own 5 V and GND"


def bill(wiring: Wiring) -> list[Row]:
    """Every wire in the order of the header's pins."""
    rows = []
    for what, gpio in wiring.used():
        if what.startswith("lamp"):
            how = LAMP_WAY if wiring.lights_high else LAMP_WAY_LOW
        elif what.startswith("button"):
            how = BUTTON_WAY
        elif what == "buzzer":
            how = BUZZER_WAY
        else:
            how = BAR_WAY
        rows.append(Row(PIN_OF[gpio], gpio, what, how))
    return sorted(rows, key=lambda row: row.pin)


PITCH = 30
TOP = 90
MIDDLE = 450
WIDTH = 900


def svg(wiring: Wiring) -> str:
    """The header seen from above with every wire and what it goes to."""
    rows = {row.pin: row for row in bill(wiring)}
    height = TOP + 20 * PITCH + 110
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="sans-serif" font-size="14">',
        f'<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>',
        _text(MIDDLE, 34, "gammonwatch panel: wiring of the 40-pin header", "middle", size=20),
        _text(MIDDLE, 58, "seen from above; pin 1 is the corner nearest the edge with the memory card", "middle", colour="#555555"),
        f'<rect x="{MIDDLE - 34}" y="{TOP - 18}" width="68" height="{20 * PITCH + 6}" rx="5" fill="#222222"/>',
    ]
    for pin, name in HEADER.items():
        left = pin % 2 == 1
        x, y = MIDDLE + (-16 if left else 16), TOP + (pin - 1) // 2 * PITCH
        parts.append(f'<circle cx="{x}" cy="{y}" r="10" fill="{_pad(name)}"/>')
        parts.append(_text(x, y + 4, str(pin), "middle", size=11))
        out = -1 if left else 1
        label = f"GPIO{name}" if isinstance(name, int) else str(name)
        near = MIDDLE + out * 44
        row = rows.get(pin)
        if row is None:
            parts.append(_text(near, y + 5, label, "end" if left else "start", colour="#999999", size=12))
            continue
        far = MIDDLE + out * 190
        parts.append(_text(near, y - 3, label, "end" if left else "start", size=11, colour="#555555"))
        parts.append(f'<line x1="{x + out * 10}" y1="{y}" x2="{far}" y2="{y}" stroke="{_wire(row)}" stroke-width="2"/>')
        parts.append(_part(row, far, y, out))
        parts.append(_text(far + out * 34, y + 5, row.what.replace("_", " "), "end" if left else "start"))
    foot = TOP + 20 * PITCH + 20
    for line, text in enumerate(
        (f"lamp: {LAMP_WAY if wiring.lights_high else LAMP_WAY_LOW}", f"button: {BUTTON_WAY}", f"buzzer: {BUZZER_WAY}")
    ):
        parts.append(_text(30, foot + 22 * line, text, "start", colour="#333333"))
    return "\n".join([*parts, "</svg>"]) + "\n"


def _pad(name: int | str) -> str:
    return {"GND": "#b9b9b9", "3V3": "#f2b84b", "5V": "#e2605f", "ID": "#dddddd"}.get(str(name), "#e8e2c8")


def _wire(row: Row) -> str:
    lamp = row.what.removeprefix("lamp ")
    return COLOURS.get(Lamp(lamp), "#8a5bb5") if row.what.startswith("lamp") else "#333333"


def _part(row: Row, x: int, y: int, out: int) -> str:
    if row.what.startswith("lamp"):
        return f'<circle cx="{x + out * 12}" cy="{y}" r="9" fill="{_wire(row)}" stroke="#222222"/>'
    if row.what.startswith("button"):
        return f'<rect x="{x + out * 12 - 11}" y="{y - 8}" width="22" height="16" rx="3" fill="#ffffff" stroke="#222222"/>'
    return f'<rect x="{x + out * 12 - 11}" y="{y - 9}" width="22" height="18" rx="9" fill="#dddddd" stroke="#222222"/>'


def _text(x: float, y: float, text: str, anchor: str, *, size: int = 14, colour: str = "#000000") -> str:
    return f'<text x="{x}" y="{y}" text-anchor="{anchor}" font-size="{size}" fill="{colour}">{escape(text)}</text>'

"""A board as text, for terminals and reports."""

from __future__ import annotations

from rules.position import Board, Player, Position

SIGNS = ("X", "O")
ROWS = 5


def draw(board: Board | Position, view: Player = Player.A, *, home_right: bool = True, signs: tuple[str, str] = SIGNS) -> str:
    """The board as `view` sees it from his side, his home below on the right (or left). A number stands where a stack passes five."""
    seen = board.board if isinstance(board, Position) else board
    upper, lower = list(range(13, 25)), list(range(12, 0, -1))
    if not home_right:
        upper.reverse()
        lower.reverse()

    def pair(point: int) -> tuple[int, int]:
        return seen.points[(point if view is Player.A else 25 - point) - 1]

    def cell(a: int, b: int, row: int) -> str:
        stack = signs[0] * a + signs[1] * b
        if row == ROWS - 1 and len(stack) > ROWS:
            return f"{len(stack):^3}"
        return f" {stack[row]} " if row < len(stack) else "   "

    def row_of(points: list[int], row: int, barred: Player) -> str:
        cells = [cell(*pair(p), row) for p in points]
        n = seen.bar[barred.side]
        bar = cell(n if barred is Player.A else 0, n if barred is Player.B else 0, row)
        return f"|{''.join(cells[:6])}|{bar}|{''.join(cells[6:])}|"

    def edge(points: list[int]) -> str:
        names = [f"{p:^3}" for p in points]
        return f"+{''.join(names[:6])}+---+{''.join(names[6:])}+"

    lines = [edge(upper), *(row_of(upper, r, view) for r in range(ROWS)), f"|{' ' * 18}|BAR|{' ' * 18}|"]
    lines += [*(row_of(lower, r, view.other) for r in reversed(range(ROWS))), edge(lower)]
    if isinstance(board, Position):
        for player in Player:
            lines.append(f"{signs[player.side]}: {board.pips(player)} pips, {board.off[player.side]} off")
    return "\n".join(lines)

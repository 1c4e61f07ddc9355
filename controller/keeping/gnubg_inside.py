"""Runs inside gnubg (`gnubg -t -q -p`), which brings a Python of its own: imports a match, analyses it, writes what it found as JSON.

Nothing of gammonwatch can be imported here. The order comes in the environment: GAMMONWATCH_MATCH, _RESULT, _PLIES.
"""

import json
import os
from pathlib import Path
from typing import Any

import gnubg

PLIES = int(os.environ["GAMMONWATCH_PLIES"])


def command(text: str) -> None:
    gnubg.command(text)


def cube_equities(analysis: dict[str, Any], info: dict[str, Any]) -> tuple[float, float]:
    """What not doubling and doubling are worth, in points of the present cube; gnubg gives match winning chances in a match."""
    none, double = analysis["nd-cubeful-eq"], analysis["dt-cubeful-eq"]
    if info["matchto"]:
        return gnubg.mwc2eq(none, info), gnubg.mwc2eq(double, info)
    return none, double


def main() -> None:
    command("set automatic game off")
    command("set threads 1")
    for what in ("chequerplay", "cubedecision"):
        command(f"set analysis {what} evaluation plies {PLIES}")
        command(f"set analysis {what} evaluation cubeful on")
    command("set analysis luckanalysis plies 0")
    command(f'import mat "{os.environ["GAMMONWATCH_MATCH"]}"')
    command("analyse match")
    match = gnubg.match(analysis=1, boards=1, statistics=1)
    length = match["match-info"]["match-length"]
    for game in match["games"]:
        info, value, owner, doubled = game["info"], 1, -1, 0
        for record in game["game"]:
            analysis, side = record.get("analysis", {}), 0 if record.get("player") == "X" else 1
            if "nd-cubeful-eq" in analysis:
                score = (info["score-X"], info["score-O"])
                cube = gnubg.cubeinfo(value, owner, side, length, score, 1 if info.get("crawford") else 0)
                record["cube"] = cube_equities(analysis, cube)
            moves = list(analysis.get("moves", ()))
            analysis["moves"] = moves[:1] + [move for n, move in enumerate(moves) if n and n == analysis.get("imove")]
            if record.get("action") == "double":
                doubled = value * 2
            elif record.get("action") == "take":
                value, owner = doubled, side
            record["cube-value"] = value
    result = Path(os.environ["GAMMONWATCH_RESULT"])
    part = result.with_suffix(".part")
    part.write_text(json.dumps(match), encoding="utf-8")
    part.replace(result)


main()

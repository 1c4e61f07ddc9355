#!/usr/bin/env python3
"""Legal plays per second on the shared sample, and agreement with it. `rules_speed.py [SAMPLE.jsonl.gz]`; exit 1 on any disagreement."""

import gc
import gzip
import json
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from rules.plays import Roll, legal_plays
from rules.position import Player, Position


def main() -> int:
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT.parent / "shared/rules/perft_sample.jsonl.gz"
    with gzip.open(path, "rt") as lines:
        rows = [json.loads(line) for line in lines]
    cases = [(Position.from_28(r["pos"]), Player.A if r["turn"] == "W" else Player.B, Roll(*r["dice"])) for r in rows]
    wrong = sum(sorted(list(p.to_28()) for p in legal_plays(*c)) != r["results"] for c, r in zip(cases, rows, strict=True))
    gc.freeze()  # the loaded sample is no part of the program's own heap
    for what, work in (("result sets", legal_plays), ("with positions", lambda *c: list(legal_plays(*c)))):
        best = 9e9
        for _ in range(7):
            began = time.process_time()
            for case in cases:
                work(*case)
            best = min(best, time.process_time() - began)
        print(f"{what}: {len(cases) / best:,.0f} rolls/s (best of 7)")
    print(f"agreement: {len(cases) - wrong} of {len(cases)}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

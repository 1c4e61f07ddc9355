"""Fit how surely a board that was found without help is read well: `fit_finding.py BOARDS [BOARDS ...]`; prints FOUND_WEIGHTS.

BOARDS: folders of render_boards.py that nothing was trained on (seeds 730000 to 739999 are kept for this). Every candidate of
`calibration.locate` is one case: the log odds of its marks, the logarithm of the doubts with which its lanes are read, and whether at most
one lane is read wrong, either way up. Logistic regression; what the choice by it and BOARD_SURE do is told by five-fold cross-validation.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np

sys.path[:0] = [str(Path(__file__).resolve().parents[2]), str(Path(__file__).resolve().parent)]
from boards import Labelled, renders
from fit_certainty import fit

from calibration.locate import candidates
from vision import finding
from vision.checkers import CheckerNetwork, without_profile
from vision.scene import BoardReading
from vision.whole_set import with_set

MISREAD = 1
"""Lanes that may be wrong on a board that is read well."""
FOLDS = 5


@dataclass(frozen=True)
class Case:
    """One candidate of one board."""

    signs: tuple[float, float, float]
    sure: float
    right: float
    """Share of the lanes."""
    lanes: int

    @property
    def well(self) -> bool:
        return self.lanes * (1 - self.right) <= MISREAD + 1e-6


def share_right(board: Labelled, read: BoardReading) -> float:
    """Of the lanes, either way up and whichever side is called A."""
    counts = np.array(with_set(read).counts)
    ways = [sign * turned for turned in (counts, np.r_[counts[12:][::-1], counts[:12][::-1]]) for sign in (1, -1)]
    return max(float((way == board.counts)[board.known].mean()) for way in ways)


def cases(board: Labelled, network: CheckerNetwork) -> list[Case]:
    image = cv2.imread(str(board.path))
    found = [(sure, without_profile(network.see(image, geometry))) for sure, geometry in candidates(image)]
    return [Case(finding.signs(sure, finding.doubts(read)), sure, share_right(board, read), int(board.known.sum())) for sure, read in found]


def fitted(boards: list[list[Case]]) -> np.ndarray:
    some = [case for board in boards for case in board]
    return fit(np.array([case.signs for case in some]), np.array([case.well for case in some], float))


def told(name: str, boards: list[list[Case]], chosen: list[tuple[Case, float] | None]) -> None:
    print(f"{name}: {len(boards)} boards, {sum(any(c.well for c in b) for b in boards)} of them read well at some candidate")
    for least in (0.3, 0.4, 0.5, 0.6, 0.7):
        read = [case for case, chance in filter(None, chosen) if chance >= least]
        print(f"   at {least}: {len(read)} read, {sum(c.well for c in read)} of them well; points right {sum(c.right for c in read) / len(boards):.1%} of all")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("boards", type=Path, nargs="+")
    args = parser.parse_args()
    cv2.setNumThreads(1)
    network = CheckerNetwork()
    found = [cases(board, network) for folder in args.boards for board in renders(folder, [(730000, 739999)])]
    told("by the marks alone", found, [(board[0], board[0].sure) if board else None for board in found])
    chosen: list[tuple[Case, float] | None] = []
    for n, board in enumerate(found):
        weights = fitted([other for m, other in enumerate(found) if m % FOLDS != n % FOLDS])
        chances = [float(1 / (1 + np.exp(-np.dot(case.signs, weights)))) for case in board]
        best = int(np.argmax(chances)) if board else 0
        chosen.append((board[best], chances[best]) if board else None)
    told("by marks and reading", found, chosen)
    print("FOUND_WEIGHTS", tuple(round(float(w), 2) for w in fitted(found)))


if __name__ == "__main__":
    main()

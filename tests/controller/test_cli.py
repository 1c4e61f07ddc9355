"""Bad input gets one plain sentence and a status, never a traceback."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import cv2
import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]
SCENES = ROOT / "tests" / "scenes"


def gammonwatch(*words: str | Path, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "controller.cli", *map(str, words)], capture_output=True, text=True, cwd=cwd or ROOT, check=False)


@pytest.fixture
def grey(tmp_path: Path) -> Path:
    path = tmp_path / "grey.png"
    cv2.imwrite(str(path), np.full((480, 640, 3), 128, np.uint8))
    return path


def test_bad_input(tmp_path: Path, grey: Path) -> None:
    broken = tmp_path / "broken.jpg"
    broken.write_bytes(b"\xff\xd8\xff\xe0 cut short")
    empty = tmp_path / "empty"
    empty.mkdir()
    profile = tmp_path / "p.profile"
    profile.write_text("{}")
    geometry = tmp_path / "g.jsonl"
    geometry.write_text('{"image": "grey.png", "size": [640, 480], "corners": [[0, 0], [1, 1]], "bar": []}\n')
    table: list[tuple[list[str | Path], int, str]] = [
        (["read", tmp_path / "none.jpg"], 1, "none.jpg"),
        (["read", broken], 1, "broken.jpg"),
        (["read", grey], 1, "give its corners with --geometry"),
        (["calibrate", grey, "-o", tmp_path / "x"], 1, "no backgammon board"),
        (["read", grey, "--profile", profile], 1, "not a gammonwatch profile"),
        (["read", grey, "--geometry", geometry], 1, "four"),
        (["calibrate", empty, "-o", tmp_path / "x"], 1, "picture"),
        (["transcribe", tmp_path / "none.mp4"], 1, "none.mp4"),
        (["transcribe", grey, "--rules", "of thumb"], 1, "of thumb"),
        (["transcribe", grey, "--events", tmp_path / "no" / "e.jsonl"], 1, "there is no folder"),
        (["transcribe", grey, "-o", empty], 1, "it is a folder"),
        (["read", grey, "--annotate", grey / "x"], 1, "cannot make the folder"),
        (["transcribe", grey, "--match-length", "-1"], 2, "--match-length"),
        ([], 2, "Missing command"),
        (["read"], 2, "Missing argument"),
        (["read", grey, "--no-such-option"], 2, "No such option"),
    ]
    for words, status, says in table:
        done = gammonwatch(*words)
        text = " ".join(done.stderr.split())
        assert done.returncode == status, (words, done.stderr)
        assert says in text, (words, text)
        assert "Traceback" not in text
        assert text.startswith("gammonwatch: ") and done.stderr.count("\n") == 1, (words, done.stderr)
    assert not (tmp_path / "x").exists()


def test_read_json_is_in_the_schema_of_the_labels() -> None:
    rows = [json.loads(line) for line in (SCENES / "dice.jsonl").read_text().splitlines()]
    done = gammonwatch("read", SCENES / rows[0]["image"], "--geometry", SCENES / "dice.jsonl", "--json")
    assert done.returncode == 0, done.stderr
    row = json.loads(done.stdout)
    assert len(row["top"]) == len(row["bottom"]) == 12
    assert set(row["on_bar"]) == {"light", "dark"}
    wrong = sum(abs(a) != abs(b) for a, b in zip(row["top"] + row["bottom"], rows[0]["top"] + rows[0]["bottom"], strict=True))
    assert wrong == 0


DEMO = ROOT / "controller" / "data" / "demo"


@pytest.fixture(scope="module")
def profile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("profile") / "demo.profile"
    done = gammonwatch("calibrate", DEMO / "frames", "--geometry", DEMO / "geometry.jsonl", "-o", path)
    assert done.returncode == 0, done.stderr
    assert path.stat().st_mode & 0o777 == 0o666 & ~_umask(), "others may not read what an ordinary file would show them"
    return path


def test_a_board_is_read_without_its_corners() -> None:
    """A find that is sure is read; the picture may lie either way up."""
    frame = DEMO / "frames" / "000.jpg"
    given = json.loads(gammonwatch("read", frame, "--geometry", DEMO / "geometry.jsonl", "--json").stdout)
    found = json.loads(gammonwatch("read", frame, "--json").stdout)
    upright, turned = found["top"] + found["bottom"], (found["top"] + found["bottom"])[::-1]
    assert given["top"] + given["bottom"] in (upright, turned)


def test_a_board_not_found_for_sure_is_asked_about(tmp_path: Path) -> None:
    """The places that may be it are drawn, numbered, and one can be chosen; nothing is guessed."""
    frame = cv2.imread(str(DEMO / "frames" / "000.jpg"))
    dim = tmp_path / "dim.png"
    cv2.imwrite(str(dim), cv2.GaussianBlur(frame, (0, 0), 14))
    asked = gammonwatch("read", dim, "--json", "--annotate", tmp_path / "drawn")
    assert asked.returncode == 1
    assert "--board N" in asked.stderr
    assert cv2.imread(str(tmp_path / "drawn" / "dim-boards.png")).shape == frame.shape
    assert gammonwatch("read", dim, "--json", "--board", "1").returncode == 0
    assert gammonwatch("read", dim, "--board", "1", "--geometry", DEMO / "geometry.jsonl").returncode == 2
    blocked = tmp_path / "blocked"
    (blocked / "dim-boards.png").mkdir(parents=True)
    refused = gammonwatch("read", dim, "--annotate", blocked)
    assert refused.returncode == 1 and "cannot write" in refused.stderr and "Traceback" not in refused.stderr
    assert "places may be one" in gammonwatch("read", dim, "--board", "9").stderr


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def test_a_profile_of_another_camera_size_is_refused_even_when_the_shape_is_the_same(tmp_path: Path, profile: Path) -> None:
    first = cv2.imread(str(next(iter(sorted((DEMO / "frames").iterdir())))))
    other = tmp_path / "frames"
    other.mkdir()
    cv2.imwrite(str(other / "0.png"), cv2.resize(first, (first.shape[1] // 2, first.shape[0] // 2)))
    done = gammonwatch("transcribe", other, "--profile", profile, "--events", tmp_path / "e.jsonl")
    assert done.returncode == 1
    assert "the profile was made for pictures of" in done.stderr
    assert not (tmp_path / "e.jsonl").exists()


def test_a_source_without_a_game_is_said_to_have_none(tmp_path: Path, profile: Path) -> None:
    first = cv2.imread(str(next(iter(sorted((DEMO / "frames").iterdir())))))
    other = tmp_path / "frames"
    other.mkdir()
    cv2.imwrite(str(other / "0.png"), np.full_like(first, 128))
    done = gammonwatch("transcribe", other, "--profile", profile, "--events", tmp_path / "e.jsonl")
    assert (done.returncode, "no game was seen" in done.stderr) == (1, True), done.stderr

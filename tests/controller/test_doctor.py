"""The doctor's judgements as a table, and the command itself on a machine that is no Pi."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import cv2
import numpy as np
import pytest
from typer.testing import CliRunner

from controller import cli
from controller import doctor as d
from controller.doctor import Finding, Verdict
from vision.frames import CameraBusy, FrameSource


def grey(level: int, white: float = 0.0) -> np.ndarray:
    image = np.full((100, 1300, 3), level, np.uint8)
    image[: round(100 * white)] = 255
    return image


NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("finding", "verdict", "says"),
    [
        (d.judge_light(grey(20)), "bad", "too dark"),
        (d.judge_light(grey(230)), "bad", "too bright"),
        (d.judge_light(grey(110, 0.1)), "look", "10% of the picture is plain white"),
        (d.judge_light(grey(110)), "good", "mean grey 110"),
        (d.judge_disk(200_000_000), "bad", "make room"),
        (d.judge_disk(1_000_000_000), "look", "make room"),
        (d.judge_disk(20_000_000_000), "good", "20.0 GB free"),
        (d.judge_power(0x0), "good", "no under-voltage"),
        (d.judge_power(0x50005), "bad", "under-voltage now"),
        (d.judge_power(0x10000), "look", "since the start"),
        (d.judge_power(0x4), "bad", "slowed down now"),
        (d.judge_power(0x40000), "look", "slowed down since"),
        (d.judge_temperature(50), "good", "50 °C"),
        (d.judge_temperature(75), "look", "warm"),
        (d.judge_temperature(85), "bad", "fan"),
        (d.judge_clock(NOW, True), "good", "set by the network"),
        (d.judge_clock(NOW, None), "good", "2026-11-30 12:00 UTC"),
        (d.judge_clock(NOW, False), "look", "not yet set"),
        (d.judge_clock(datetime(1970, 1, 1, tzinfo=UTC), True), "bad", "1970"),
    ],
)
def test_a_reading_and_its_verdict(finding: Finding, verdict: Verdict, says: str) -> None:
    assert finding.verdict == verdict and says in finding.says


@pytest.mark.parametrize(("verdicts", "wanted"), [([], "good"), (["good", "look"], "look"), (["bad", "good", "look"], "bad")])
def test_the_worst_decides(verdicts: list[Verdict], wanted: Verdict) -> None:
    assert d.worst([Finding("x", v, "") for v in verdicts]) == wanted


def test_readings_from_the_files_of_a_pi(tmp_path: Path) -> None:
    (tmp_path / "throttled").write_text("50005\n")
    (tmp_path / "temp").write_text("48312\n")
    assert d.check_power(tmp_path / "throttled").verdict == "bad"
    assert d.check_temperature(tmp_path / "temp").says == "48 °C"
    assert "does not report" in d.check_temperature(tmp_path / "none").says
    (tmp_path / "timesync").mkdir()
    assert d.check_clock(tmp_path / "timesync").verdict == "look"


def test_a_small_camera_and_no_camera(tmp_path: Path) -> None:
    small = tmp_path / "small.png"
    cv2.imwrite(str(small), np.full((48, 64, 3), 100, np.uint8))
    finding, image = d.check_camera(str(small))
    assert finding.verdict == "look" and "64x48" in finding.says and image is not None
    finding, image = d.check_camera(str(tmp_path / "none"))
    assert finding.verdict == "bad" and image is None


def test_a_camera_that_the_service_holds_is_no_fault() -> None:
    def opens(text: str) -> FrameSource:
        raise CameraBusy("another program is using it")

    finding, image = d.check_camera("picamera2", opens)
    assert finding.verdict == "look" and "systemctl stop" in finding.says and image is None


def test_the_command_gives_one_table_one_verdict_and_a_status(tmp_path: Path) -> None:
    picture = tmp_path / "board.png"
    cv2.imwrite(str(picture), grey(110))
    done = CliRunner().invoke(cli.app, ["doctor", str(picture), "--state", str(tmp_path)])
    assert done.exit_code == 0, done.output
    for what in ("camera", "light", "pins", "disk", "power", "temperature", "clock", "versions"):
        assert what in done.output
    assert done.output.rstrip().splitlines()[-1] in ("it will run; look at the yellow lines", "all is well")
    done = CliRunner().invoke(cli.app, ["doctor", str(tmp_path / "none.png")])
    assert done.exit_code == 1 and "something is missing" in done.output

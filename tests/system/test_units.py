"""systemd reads our units without a complaint and finds them hardened; and the check that says so can fail."""

from __future__ import annotations

import shutil
import subprocess
from ipaddress import ip_network
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
UNITS = ROOT / "systemd"
pytestmark = pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="there is no systemd-analyze here")


def check(folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([str(UNITS / "check"), str(folder)], capture_output=True, text=True, check=False)


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    for unit in UNITS.glob("gammonwatch*.*"):
        shutil.copy(unit, tmp_path)
    return tmp_path


def test_the_units_are_clean_and_hardened() -> None:
    done = check(UNITS)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("ok   verify") == 3 and done.stdout.count("ok   security") == 2


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("WatchdogSec=30", "WatchdogSec=thirty", "FAIL verify"),
        ("ProtectClock=yes", "ProtectKlock=yes", "FAIL verify"),
        ("CapabilityBoundingSet=\n", "", "FAIL security"),
    ],
)
def test_a_mistake_in_the_unit_is_found(copied: Path, old: str, new: str, says: str) -> None:
    unit = copied / "gammonwatch.service"
    text = unit.read_text(encoding="utf-8")
    assert old in text
    unit.write_text(text.replace(old, new), encoding="utf-8")
    done = check(copied)
    assert done.returncode == 1 and says in done.stdout, done.stdout


def test_the_page_may_be_served_and_nothing_may_speak_to_the_internet() -> None:
    rows = dict(line.split("=", 1) for line in (UNITS / "gammonwatch.service").read_text(encoding="utf-8").splitlines() if "=" in line)
    assert {"AF_INET", "AF_INET6", "AF_UNIX", "AF_NETLINK"} == set(rows["RestrictAddressFamilies"].split())
    assert rows["IPAddressDeny"] == "any"
    allowed = [ip_network(name) for name in rows["IPAddressAllow"].split() if name not in ("localhost", "link-local")]
    assert "localhost" in rows["IPAddressAllow"] and all(network.is_private for network in allowed)

"""Word to systemd, on a real datagram socket."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from controller.service import ServiceManager


@pytest.mark.parametrize("abstract", [False, True])
def test_ready_once_then_alive_then_stopping(tmp_path: Path, abstract: bool) -> None:
    name = f"@gammonwatch-test-{tmp_path.name}" if abstract else str(tmp_path / "notify")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind("\0" + name[1:] if abstract else name)
        manager.settimeout(5)
        ours = ServiceManager(name)
        ours.ready("waiting\nfor dice")
        ours.ready("again")
        ours.alive("A to play")
        ours.stopping()
        assert [manager.recv(200).decode() for _ in range(3)] == [
            "READY=1\nSTATUS=waiting for dice",
            "WATCHDOG=1\nSTATUS=A to play",
            "STOPPING=1",
        ]


def test_without_systemd_or_with_a_dead_one_nothing_happens(tmp_path: Path) -> None:
    ServiceManager("").alive()
    ServiceManager(str(tmp_path / "nobody")).alive("x")


def test_the_address_comes_from_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    name = str(tmp_path / "notify")
    monkeypatch.setenv("NOTIFY_SOCKET", name)
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(name)
        manager.settimeout(5)
        ServiceManager().alive()
        assert manager.recv(200) == b"WATCHDOG=1"


def test_more_patience_while_learning_and_then_as_the_unit_says(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    name = str(tmp_path / "notify")
    monkeypatch.setenv("WATCHDOG_USEC", "30000000")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(name)
        manager.settimeout(5)
        ours = ServiceManager(name)
        ours.patience(300)
        ours.patience()
        assert [manager.recv(200) for _ in range(2)] == [b"WATCHDOG_USEC=300000000", b"WATCHDOG_USEC=30000000"]

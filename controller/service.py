"""Word to systemd (sd_notify): ready, alive, stopping. Without systemd nothing is sent.

The watchdog is fed with `alive` from the frame loop itself, never from a timer: a loop that hangs must be found out.
"""

from __future__ import annotations

import os
import socket


class ServiceManager:
    """Sends to $NOTIFY_SOCKET, the datagram socket of whoever started us. A send that fails is forgotten: systemd then acts by itself."""

    def __init__(self, address: str | None = None) -> None:
        given = os.environ.get("NOTIFY_SOCKET", "") if address is None else address
        # A name that begins with @ lies in the kernel's own name space, which is written with a zero byte.
        self._address = "\0" + given[1:] if given.startswith("@") else given
        self._ready = False

    def ready(self, status: str) -> None:
        """Once, when pictures arrive."""
        if not self._ready:
            self._send("READY=1", f"STATUS={status}")
            self._ready = True

    def alive(self, status: str = "") -> None:
        self._send("WATCHDOG=1", *([f"STATUS={status}"] if status else []))

    def patience(self, seconds: float | None = None) -> None:
        """From now on a sign of life is due every `seconds`; None: as often as the unit says."""
        given = os.environ.get("WATCHDOG_USEC", "")
        if seconds is not None or given:
            self._send(f"WATCHDOG_USEC={given if seconds is None else round(seconds * 1e6)}")

    def stopping(self) -> None:
        self._send("STOPPING=1")

    def _send(self, *lines: str) -> None:
        if not self._address:
            return
        text = "\n".join(" ".join(line.split()) for line in lines)
        try:
            with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as out:
                out.setblocking(False)
                out.connect(self._address)
                out.sendall(text.encode())
        except OSError:
            return

"""Fifty viewers at once: how late an event reaches them, whether the watch slows down, and whether all come back after a restart.

    python benchmarks/page_load.py [--viewers 50] [--turns 60] [--windows 3] [--seconds 15]

Everything runs on this machine, the viewers in a process of their own, over the loopback device.
1. A whole game at the speed of a made-up eye (real referee, journal, table, server): from the table's telling to the viewer's last byte.
2. The real eye over the bundled game: frames a second in windows without and with viewers, in turn.
3. The server is stopped and started again under the viewers: how long until each has the right board.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import multiprocessing
import os
import random
import statistics
import sys
import tempfile
import threading
import time
from multiprocessing.connection import Connection
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "tests" / "web")]


class Patch:
    """As much of pytest's monkeypatch as `hall.pretend` needs."""

    def setattr(self, target, name, value=None) -> None:
        if isinstance(target, str):
            import importlib

            module, _, last = target.rpartition(".")
            target, name, value = importlib.import_module(module), last, name
        setattr(target, name, value)


async def viewer(port: int, late: list[float], state: dict) -> None:
    """One phone: listens, and opens the stream again when it breaks, as the page does."""
    match, number = "", 0
    while True:
        try:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(f"GET /api/stream?since={number}&match={match} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode())
            first = True
            while line := await reader.readline():
                if not line.startswith(b"data: {\"board\""):
                    continue
                news = json.loads(line[6:])
                got = time.time()
                missed = [e["number"] for e in news["events"]]
                if not news["fresh"] and missed and missed[0] != number + 1:
                    state["gaps"] += 1
                if news["events"] and not first:
                    late.append(got - news["at"])
                first = False
                match, number = news["board"]["match"], news["board"]["number"]
                state["number"], state["position"], state["at"] = number, news["board"]["position"], got
            writer.close()
        except OSError:
            pass
        state["breaks"] += 1
        await asyncio.sleep(0.3 * (0.7 + 0.6 * random.random()))


def crowd(port: int, count: int, pipe: Connection) -> None:
    """The process of the viewers; answers "tell" with what they saw so far."""

    async def run() -> None:
        late: list[float] = []
        states = [{"number": -1, "position": None, "at": 0.0, "gaps": 0, "breaks": 0} for _ in range(count)]
        tasks = [asyncio.create_task(viewer(port, late, state)) for state in states]
        while True:
            await asyncio.sleep(0.02)
            if pipe.poll():
                if pipe.recv() == "end":
                    break
                pipe.send((list(late), states))
        for task in tasks:
            task.cancel()

    asyncio.run(run())


class Crowd:
    def __init__(self, port: int, count: int) -> None:
        self.pipe, far = multiprocessing.Pipe()
        self.process = multiprocessing.get_context("spawn").Process(target=crowd, args=(port, count, far), daemon=True)
        self.process.start()
        self.count = count

    def told(self):
        self.pipe.send("tell")
        return self.pipe.recv()

    def until(self, number: int, seconds: float = 60.0) -> bool:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if all(state["number"] >= number for state in self.told()[1]):
                return True
            time.sleep(0.05)
        return False

    def close(self) -> None:
        self.pipe.send("end")
        self.process.join(5)


def share(values: list[float], part: float) -> float:
    return sorted(values)[min(int(len(values) * part), len(values) - 1)]


def events_and_restart(count: int, turns: int) -> None:
    import hall as made_up

    from rules.notation import short
    from rules.plays import Roll, legal_plays
    from rules.position import Player

    stage = made_up.Stage()
    made_up.pretend(Patch(), stage)
    with tempfile.TemporaryDirectory() as folder:
        hall = made_up.Hall(Path(folder), stage)
        people = Crowd(hall.server.port, count)
        assert people.until(hall.table.now.number), "not every viewer came in"
        print(f"{count} viewers are in; load of this machine {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors", flush=True)
        chance, position, player = random.Random(7), hall.open_game(), Player.B
        for _ in range(turns):
            roll = Roll(chance.randint(1, 6), chance.randint(1, 6))
            plays = legal_plays(position, player, roll)
            if plays:
                result = chance.choice(sorted(plays, key=lambda p: p.to_28()))
                position = hall.play(position, player, (roll.first, roll.second), short(plays[result].moves))
            else:
                half = "right" if player is Player.A else "left"
                hall.put(position, ((roll.first, half), (roll.second, half)))
                hall.put(position)
            player = player.other
            if hall.table.now.state.phase == "over":
                break
        people.until(hall.table.now.number, 20)
        late, states = people.told()
        lost = sum(state["number"] != hall.table.now.number for state in states)
        print(
            f"events to viewers: {len(late)} in {hall.table.now.number} events; median {statistics.median(late) * 1e3:.0f} ms, "
            f"99th percentile {share(late, 0.99) * 1e3:.0f} ms, slowest {max(late) * 1e3:.0f} ms; viewers lost: {lost}, "
            f"gaps: {sum(s['gaps'] for s in states)}, streams broken: {sum(s['breaks'] for s in states)}"
        )
        port, number = hall.server.port, hall.table.now.number
        hall.close()
        time.sleep(1.0)
        began = time.time()
        again = made_up.Hall(Path(folder), stage, port=port)
        up = time.time()
        while True:
            states = people.told()[1]
            back = [s for s in states if s["at"] > began and s["number"] == number and tuple(s["position"]) == again.table.now.state.position.to_28()]
            if len(back) == count or time.time() - up > 60:
                break
            time.sleep(0.02)
        print(f"after a restart {len(back)} of {count} viewers have the right board again, the last {max(s['at'] for s in back) - up:.2f} s after the server was up")
        people.close()
        again.close()


def frame_rate(count: int, windows: int, seconds: float) -> None:
    import shutil

    from controller.cli import DEMO
    from controller.panel.attendant import Attendant
    from controller.playback import Playback
    from controller.service import ServiceManager
    from controller.settings import Service, Web
    from controller.table import Table
    from controller.web.app import create_app
    from controller.web.server import Server
    from controller.words import sentence

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        shutil.copyfile(DEMO / "geometry.jsonl", folder / "geometry.jsonl")
        settings = Service(source=str(DEMO / "frames"), players=("Ada", "Ben"), web=Web(port=0))
        table = Table(settings, folder, Attendant(), ServiceManager(""), lambda text: None, lasting=True)
        # Every picture is read as soon as the last one was: the watch has no idle time that viewers could take without its being seen.
        table.opens = lambda text: Playback(Path(text), seconds=1.0, fps=50.0, playing=lambda: table.watching)
        frames = [0]

        def watch() -> None:
            for seen in table.frames():
                frames[0] += seen.scene is not None

        loop = threading.Thread(target=watch, daemon=True)
        loop.start()
        server = Server(create_app(table, settings.web, sentence), "127.0.0.1", 0)
        while frames[0] < 5:
            time.sleep(0.1)
        rates: dict[int, list[float]] = {0: [], count: []}
        costs: dict[int, list[float]] = {0: [], count: []}
        for _ in range(windows):
            for crowd_size in (0, count):
                people = Crowd(server.port, crowd_size) if crowd_size else None
                if people:
                    people.until(0)
                before, began, used = frames[0], time.monotonic(), time.process_time()
                time.sleep(seconds)
                rates[crowd_size].append((frames[0] - before) / (time.monotonic() - began))
                costs[crowd_size].append((time.process_time() - used) / max(frames[0] - before, 1))
                if people:
                    people.close()
        table.stop()
        server.close()
        loop.join(20)
        without, with_them = statistics.median(rates[0]), statistics.median(rates[count])
        print(
            f"frames read a second by the real eye: {without:.2f} without viewers, {with_them:.2f} with {count} "
            f"({(with_them / without - 1) * 100:+.1f} %); windows {[round(r, 2) for r in rates[0]]} and {[round(r, 2) for r in rates[count]]}"
        )
        cheap, dear = statistics.median(costs[0]), statistics.median(costs[count])
        print(f"processor seconds of the whole program for each frame read (no matter what else runs): {cheap:.3f} without viewers, {dear:.3f} with {count} ({(dear / cheap - 1) * 100:+.1f} %)")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--viewers", type=int, default=50)
    parser.add_argument("--turns", type=int, default=60)
    parser.add_argument("--windows", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=15.0)
    given = parser.parse_args()
    events_and_restart(given.viewers, given.turns)
    multiprocessing.set_start_method("spawn", force=True)
    # The made-up eye has taken the real one's place in this process: the rate is measured in another.
    other = multiprocessing.Process(target=frame_rate, args=(given.viewers, given.windows, given.seconds))
    other.start()
    other.join()

"""schemathesis against the whole HTTP interface: no answer may be a 5xx, and the log may hold no traceback.

    python -m venv .venv-extras && .venv-extras/bin/pip install schemathesis
    python benchmarks/page_fuzz.py [--minutes 10] [--schemathesis .venv-extras/bin/schemathesis]

A real table under a made-up eye, so that acts have a game to act on. Streams without an end are left out, and what would end the session.
Exit status 1 when anything was found.
"""

from __future__ import annotations

import argparse
import collections
import io
import logging
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "tests" / "web"), str(HERE)]

LEFT_OUT = ("/api/stream", "/api/camera.mjpg", "/api/access/leave", "/api/access/pin")


def main(minutes: float, tool: str) -> int:
    import hall as made_up
    from page_load import Patch

    import controller.web.guard as guard

    guard.ACTS = guard.ACTS_ALL = 10**9
    stage = made_up.Stage()
    made_up.pretend(Patch(), stage)
    log = io.StringIO()
    logging.basicConfig(stream=log, level=logging.WARNING)
    with tempfile.TemporaryDirectory() as folder:
        hall = made_up.Hall(Path(folder), stage)
        hall.open_game()
        boss = hall.director()
        answers: collections.Counter[int] = collections.Counter()
        watched = hall.server._server.config.loaded_app

        async def counting(scope, receive, send):
            async def sending(message):
                if message["type"] == "http.response.start":
                    answers[message["status"]] += 1
                await send(message)

            await watched(scope, receive, sending)

        hall.server._server.config.loaded_app = counting
        stopped = threading.Event()

        def play() -> None:
            """Somebody goes on playing: the board changes under whoever acts."""
            while not stopped.is_set():
                stage.position = made_up.START.to_28() if int(time.time()) % 20 < 10 else [0] * 24 + [0, 0, 15, 15]
                stopped.wait(1.0)

        threading.Thread(target=play, daemon=True).start()
        command = [tool, "run", f"{hall.url}/openapi.json", "--header", f"Cookie: gammonwatch={boss.cookies['gammonwatch']}"]
        command += ["--header", f"x-gammonwatch-token: {boss.headers['x-gammonwatch-token']}", "--checks", "not_a_server_error"]
        command += ["--max-examples", "100000", "--continue-on-failure", "--request-timeout", "30", "--workers", "2"]
        for path in LEFT_OUT:
            command += ["--exclude-path", path]
        began = time.monotonic()
        rounds, failed = 0, 0
        while (left := minutes * 60 - (time.monotonic() - began)) > 5:
            try:
                done = subprocess.run([*command, "--seed", str(rounds)], timeout=left, capture_output=True, text=True, check=False)
                failed += done.returncode != 0
                if done.returncode:
                    print(done.stdout[-3000:], done.stderr[-1000:])
                    if not answers:
                        break
            except subprocess.TimeoutExpired as error:
                print((error.stdout or b"")[-300:].decode(errors="replace"))
            rounds += 1
        stopped.set()
        errors = sum(n for status, n in answers.items() if status >= 500 and status != 503)
        print(f"{sum(answers.values())} answers in {(time.monotonic() - began) / 60:.1f} minutes: {dict(sorted(answers.items()))}")
        print(f"server errors other than 503 in words: {errors}; tracebacks in the log: {log.getvalue().count('Traceback')}; the watch is {'dead' if hall.failure else 'alive'}")
        print(log.getvalue()[-2000:])
        hall.close()
        return int(bool(errors or log.getvalue().count("Traceback") or hall.failure))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--schemathesis", default=str(HERE.parent / ".venv-extras/bin/schemathesis"))
    given = parser.parse_args()
    sys.exit(main(given.minutes, given.schemathesis))

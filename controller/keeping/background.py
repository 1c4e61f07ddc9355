"""Analyses in the background: one at a time, told how far it is, stopped when nobody wants it any more."""

from __future__ import annotations

import atexit
import threading
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from controller.keeping import analysis as thinking
from controller.keeping.analysis import Analysis, AnalysisError, Stopped

State = Literal["none", "running", "done", "failed"]


@dataclass(frozen=True, slots=True)
class Job:
    """How an analysis stands."""

    state: State = "none"
    plies: int = 0
    done: int = 0
    total: int = 0
    """Decisions; 0 while that is not known yet."""
    problem: str = ""
    result: Analysis | None = None


class Busy(Exception):
    """Another match is being analysed; one plain sentence."""


class Analyses:
    """Of all matches of one folder. Methods may be called from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._jobs: dict[str, Job] = {}
        self._now: str | None = None
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        atexit.register(self.close)

    def of(self, journal: Path, match: str | None) -> Job:
        """How the analysis of this journal stands. `match`: its present record as .mat; None when .mat cannot hold it."""
        with self._lock:
            job = self._jobs.get(journal.name)
        if job is not None and (job.state == "running" or job.result is None or (match and job.result.match == thinking.print_of(match))):
            return job
        known = thinking.kept(journal, match) if match else None
        return Job("done", known.plies, result=known) if known else Job()

    def start(self, journal: Path, match: str, names: tuple[str, str], plies: int) -> Job:
        """Begin. Raises Busy, and AnalysisError where gnubg is not there."""
        if thinking.installed() is None:
            raise AnalysisError("gnubg is not installed on the board's computer: apt-get install gnubg")
        with self._lock:
            if self._now == journal.name:
                return self._jobs[journal.name]
            if self._now is not None:
                raise Busy("Another match is being analysed: wait for it, or stop it.")
            job = Job("running", plies)
            self._now, self._jobs[journal.name] = journal.name, job
            self._stop.clear()
            self._thread = threading.Thread(target=self._run, args=(journal, match, names, plies), name="gnubg", daemon=True)
            self._thread.start()
        return job

    def stop(self, name: str) -> None:
        with self._lock:
            if self._now == name:
                self._stop.set()

    def close(self) -> None:
        """Nothing goes on after this."""
        self._stop.set()
        thread = self._thread
        if thread is not None:
            thread.join(6)
        atexit.unregister(self.close)

    def _run(self, journal: Path, match: str, names: tuple[str, str], plies: int) -> None:
        def progress(done: int, total: int) -> None:
            self._set(journal.name, replace(self._jobs[journal.name], done=done, total=total))

        try:
            found = thinking.analyse(match, names, plies, progress, self._stop.is_set)
            thinking.save(journal, found)
            job = Job("done", plies, result=found)
        except Stopped:
            job = Job()
        except AnalysisError as error:
            job = Job("failed", plies, problem=f"{str(error)[:1].upper()}{str(error)[1:]}.")
        except Exception as error:
            job = Job("failed", plies, problem=f"The analysis ended in a fault of gammonwatch ({type(error).__name__}).")
        with self._lock:
            self._jobs[journal.name], self._now = job, None

    def _set(self, name: str, job: Job) -> None:
        with self._lock:
            self._jobs[name] = job

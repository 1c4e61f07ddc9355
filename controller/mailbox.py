"""What others ask of the table, from any thread: letters that its loop reads when it comes to them."""

from __future__ import annotations

import queue
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass

from controller.events import Command, Event


class MovedOn(Exception):
    """What was asked for was meant for a state that is no more; one plain sentence."""


class NotNow(Exception):
    """What was asked for cannot be done in this phase; one plain sentence."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What an order came to: the match's last event after it, and the events it made."""

    number: int
    events: tuple[Event, ...]


@dataclass(frozen=True, slots=True)
class _Order:
    command: Command
    based_on: tuple[str, int] | None
    answer: Future[Answer]


@dataclass(frozen=True, slots=True)
class _Act:
    act: Callable[[], object]
    answer: Future[object]

    def do(self) -> None:
        if not self.answer.set_running_or_notify_cancel():
            return
        try:
            self.answer.set_result(self.act())
        except Exception as error:
            self.answer.set_exception(error)


class Mailbox:
    """`tell` and `ask` are for everybody; the rest is for the loop that reads."""

    def __init__(self) -> None:
        self._mail: queue.SimpleQueue[_Order | _Act] = queue.SimpleQueue()
        self._taken: _Order | None = None
        self._before = 0
        """How many events of the frame came before those of `_taken`."""

    def tell(self, command: Command, based_on: tuple[str, int] | None = None) -> Future[Answer]:
        """A command for the referee; see `Table.tell`."""
        order = _Order(command, based_on, Future())
        self._mail.put(order)
        return order.answer

    def ask(self, act: Callable[[], object]) -> Future[object]:
        """Something to be done in the loop's thread; what it raises, the future raises."""
        asked = _Act(act, Future())
        self._mail.put(asked)
        return asked.answer

    def read(self, wait: float = 0.0) -> None:
        """While nothing is watched: acts are done, orders have nobody to go to. `wait`: s for the first letter."""
        while True:
            try:
                mail = self._mail.get(timeout=wait) if wait else self._mail.get_nowait()
            except queue.Empty:
                return
            wait = 0.0
            if isinstance(mail, _Act):
                mail.do()
            elif mail.answer.set_running_or_notify_cancel():
                mail.answer.set_exception(NotNow("No game is being watched now: set up the board and the match first."))

    def orders(self, at: Callable[[], tuple[str, int]], events: Sequence[Event], leaving: Callable[[], bool]) -> list[Command]:
        """The next order, with a frame that led to `events`: at most one, so that what it led to can be told. Acts before it are done.

        at: the match and the number of its last event before this frame. leaving: whether an act has made the loop leave this match.
        """
        while self._taken is None and not leaving():
            try:
                mail = self._mail.get_nowait()
            except queue.Empty:
                break
            if isinstance(mail, _Act):
                mail.do()
            elif mail.answer.set_running_or_notify_cancel():
                new = [event for event in events if event.event != "turn_time"]
                if mail.based_on is not None and (mail.based_on != at() or new):
                    mail.answer.set_exception(MovedOn("The game has moved on since you looked: see what happened, then ask again."))
                    continue
                self._taken = mail
                self._before = len(events)
        return [self._taken.command] if self._taken else []

    def answer(self, number: int, events: tuple[Event, ...]) -> None:
        """Whoever gave the order hears what came of it; `events`: of its frame, `number` the last one's."""
        if self._taken is not None:
            taken, self._taken = self._taken, None
            taken.answer.set_result(Answer(number, events[self._before :]))

    def give_up(self) -> None:
        """The match was left before the order that was taken came to anything."""
        if self._taken is not None:
            self._taken.answer.set_exception(NotNow("The watch has ended before that could be done."))
            self._taken = None

    def close(self) -> None:
        """Nobody reads any more: what was not read is withdrawn."""
        while True:
            try:
                self._mail.get_nowait().answer.cancel()
            except queue.Empty:
                return

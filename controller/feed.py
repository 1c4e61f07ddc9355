"""News for many viewers: whoever tells them never waits, and a viewer who cannot keep up is let go (he comes back and asks for what he missed)."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import Generic, TypeVar

WAITING = 64
"""Messages that may lie unread before a viewer is let go: at the referee's pace about half a minute of a stalled phone."""

News = TypeVar("News")


@dataclass(eq=False)
class Viewer(Generic[News]):
    """One who listens, in the event loop he joined in."""

    loop: asyncio.AbstractEventLoop
    queue: asyncio.Queue[News | None] = field(default_factory=lambda: asyncio.Queue(WAITING))

    async def next(self) -> News | None:
        """The next message; None when he was let go, or the feed has ended."""
        return await self.queue.get()


class Feed(Generic[News]):
    """`tell` from any thread; `join` and `leave` in the viewers' event loop."""

    def __init__(self) -> None:
        self._viewers: set[Viewer[News]] = set()

    @property
    def viewers(self) -> int:
        return len(self._viewers)

    def join(self) -> Viewer[News]:
        viewer: Viewer[News] = Viewer(asyncio.get_running_loop())
        self._viewers.add(viewer)
        return viewer

    def leave(self, viewer: Viewer[News]) -> None:
        self._viewers.discard(viewer)

    def tell(self, news: News | None) -> None:
        """Hand on without waiting; None ends every viewer's stream."""
        for loop in {viewer.loop for viewer in tuple(self._viewers)}:
            try:
                loop.call_soon_threadsafe(self._spread, loop, news)
            except RuntimeError:  # the loop has closed meanwhile
                continue

    def _spread(self, loop: asyncio.AbstractEventLoop, news: News | None) -> None:
        for viewer in [v for v in self._viewers if v.loop is loop]:
            if news is None or viewer.queue.full():
                self._let_go(viewer)
            else:
                viewer.queue.put_nowait(news)

    def _let_go(self, viewer: Viewer[News]) -> None:
        self.leave(viewer)
        while not viewer.queue.empty():
            viewer.queue.get_nowait()
        viewer.queue.put_nowait(None)

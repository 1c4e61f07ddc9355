// The table as it happens: one stream that opens itself again, and never shows the past as the present.

const QUIET_MS = 16000; // three missed signs of life
const PAUSES_MS = [300, 700, 1500, 3000, 5000];

/**
 * Listen. `onNews({board, events, fresh, at})` for each message (after `fresh` forget what was known), `onLink(alive)` when the link is
 * lost or found again. Gives back a function that stops it.
 */
export function listen(onNews, onLink = () => {}) {
  let source = null, match = "", number = 0, quiet = 0, again = 0, failures = 0, stopped = false;

  function open() {
    clearTimeout(again);
    source?.close();
    source = new EventSource(`/api/stream?since=${number}&match=${encodeURIComponent(match)}`);
    heard();
    source.addEventListener("news", (message) => {
      const news = JSON.parse(message.data);
      failures = 0;
      heard();
      onLink(true);
      match = news.board.match;
      number = news.board.number;
      document.body.dataset.darker = news.board.darker; // known only once the board is learned
      onNews(news);
    });
    source.addEventListener("alive", () => { failures = 0; heard(); onLink(true); });
    source.addEventListener("error", lost);
  }

  // The browser's own second try is not waited for: it gives up for good on some answers.
  function lost() {
    if (stopped) return;
    onLink(false);
    source?.close();
    clearTimeout(quiet);
    clearTimeout(again);
    const pause = PAUSES_MS[Math.min(failures, PAUSES_MS.length - 1)];
    failures += 1;
    again = setTimeout(open, pause * (0.7 + 0.6 * Math.random()));
  }

  function heard() {
    clearTimeout(quiet);
    quiet = setTimeout(lost, QUIET_MS);
  }

  // A phone that was asleep has a dead stream that it does not know of yet.
  const awake = () => { if (document.visibilityState === "visible" && !stopped) { failures = 0; open(); } };
  const online = () => { failures = 0; if (!stopped) open(); };
  document.addEventListener("visibilitychange", awake);
  window.addEventListener("online", online);
  open();
  return () => {
    stopped = true;
    clearTimeout(quiet);
    clearTimeout(again);
    source?.close();
    document.removeEventListener("visibilitychange", awake);
    window.removeEventListener("online", online);
  };
}

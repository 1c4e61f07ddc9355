// Before the first paint: dark or light, as this viewer chose it last; else as the device has it.
(() => {
  const root = document.documentElement;
  const kept = (() => { try { return localStorage.getItem("theme"); } catch { return null; } })();
  if (kept === "dark" || kept === "light") root.dataset.theme = kept;
  document.addEventListener("DOMContentLoaded", () => {
    const button = document.getElementById("theme");
    if (!button) return;
    const dark = () => root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    const name = () => button.setAttribute("aria-label", dark() ? "Show the page light" : "Show the page dark");
    button.addEventListener("click", () => {
      root.dataset.theme = dark() ? "light" : "dark";
      try { localStorage.setItem("theme", root.dataset.theme); } catch { /* a private window keeps nothing */ }
      name();
    });
    name();
  });
})();

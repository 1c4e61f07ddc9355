import { clearProblem, get, post, showProblem, toast, whenSent } from "./api.js";

const $ = (id) => document.getElementById(id);

whenSent($("enter"), async (form) => {
  clearProblem(form);
  try {
    await post("/api/access/enter", { pin: form.elements.pin.value, name: form.elements.name.value.trim() || "director" });
    location.replace(new URLSearchParams(location.search).get("then") === "setup" ? "/setup" : "/director");
  } catch (problem) {
    showProblem(form, problem);
  }
});

$("link")?.addEventListener("click", async () => {
  try {
    const made = await post("/api/access/links");
    const picture = new DOMParser().parseFromString(made.svg, "text/html").querySelector("svg");
    picture.setAttribute("role", "img");
    picture.setAttribute("aria-label", "QR code of the link");
    const address = Object.assign(document.createElement("p"), { className: "small", textContent: made.url });
    $("link-place").replaceChildren(document.importNode(picture, true), address);
    setTimeout(() => $("link-place").replaceChildren(), made.seconds * 1000);
  } catch (problem) {
    toast(problem.message, true);
  }
});

if ($("camera")) {
  get("/api/access/camera").then((kept) => { $("camera").checked = kept.open; });
  $("camera").addEventListener("change", async () => {
    try {
      const kept = await post("/api/access/camera", { open: $("camera").checked });
      toast(kept.open ? "Viewers may see the picture." : "The picture is closed to viewers.");
    } catch (problem) {
      $("camera").checked = !$("camera").checked;
      toast(problem.message, true);
    }
  });
}

whenSent($("pin"), async (form) => {
  clearProblem(form);
  try {
    await post("/api/access/pin", { pin: form.elements.pin.value });
    form.reset();
    toast("The PIN is changed.");
  } catch (problem) {
    showProblem(form, problem);
  }
});

$("leave")?.addEventListener("click", async () => {
  try {
    await post("/api/access/leave");
    location.replace("/");
  } catch (problem) {
    toast(problem.message, true);
  }
});

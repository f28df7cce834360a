(() => {
  const state = document.getElementById("live");
  const paths = (main) => [...main.querySelectorAll("[data-key]")];

  function keep(main) {
    const focused = main.contains(document.activeElement)
      ? [...main.querySelectorAll("a, [tabindex]")].indexOf(document.activeElement) : -1;
    const scrolls = new Map(paths(main).map((box) => [box.dataset.key, [box.scrollLeft, box.scrollTop]]));
    return () => {
      for (const box of paths(main)) {
        const [left, top] = scrolls.get(box.dataset.key) ?? [0, 0];
        box.scrollLeft = left;
        box.scrollTop = top;
      }
      if (focused >= 0) main.querySelectorAll("a, [tabindex]")[focused]?.focus({preventScroll: true});
    };
  }

  function show(text) {
    const fresh = new DOMParser().parseFromString(text, "text/html").querySelector("main");
    const main = document.querySelector("main");
    if (!fresh || main.isEqualNode(fresh)) return;
    const restore = keep(main);
    const before = [...main.children], after = [...fresh.children];
    if (before.length !== after.length) main.replaceChildren(...after);
    else before.forEach((old, at) => old.isEqualNode(after[at]) || old.replaceWith(after[at]));
    restore();
  }

  function say(text, lost) {
    if (state.textContent !== text) state.textContent = text;
    state.classList.toggle("lost", lost);
  }

  async function update() {
    const selecting = !getSelection().isCollapsed;
    if (!document.hidden && !selecting) {
      try {
        const answer = await fetch(location.href, {cache: "no-store", signal: AbortSignal.timeout(10000)});
        if (!answer.ok) throw new Error(answer.status);
        show(await answer.text());
        say("live", false);
      } catch {
        say("no answer; trying again", true);
      }
    }
    setTimeout(update, 2000);
  }
  setTimeout(update, 2000);
  document.addEventListener("visibilitychange", () => say(document.hidden ? "paused" : "live", false));
})();

// Starts the replay engine, then lets it show the page in the frame.
(async () => {
  const frame = document.querySelector("iframe");
  const workers = navigator.serviceWorker;
  if (!workers) {
    document.querySelector("p").hidden = false;
    return;
  }
  workers.addEventListener("message", (event) => {
    if (event.data.msg_type === "collAdded" && !frame.src) frame.src = frame.dataset.page;
  });
  await workers.register("/web/sw.js?replayPrefix=&root=$root", { scope: "/web/" });
  const { active } = await workers.ready;
  active.postMessage({
    msg_type: "addColl",
    name: "$root",
    type: "live",
    root: true,
    skipExisting: true,
    file: { sourceUrl: "proxy:" },
    extraConfig: {
      prefix: "",
      isLive: false,
      archivePrefix: "/web/",
      archiveMod: "ir_",
      baseUrl: "/web/",
      baseUrlAppendReplay: true,
      noPostToGet: true,
    },
  });
  // Where the page leads, the address follows; nothing opens a window that nobody watches.
  addEventListener("message", ({ source, data }) => {
    const moves = data && (data.wb_type === "load" || data.wb_type === "replace-url");
    if (source !== frame.contentWindow || !moves || !/^https?:/.test(data.url)) return;
    history.replaceState({}, "", `/web/${data.ts || data.request_ts || ""}/${data.url}`);
    document.title = data.title || data.url;
  });
  frame.addEventListener("load", () => {
    frame.contentDocument.addEventListener("click", (event) => {
      const link = event.target.closest && event.target.closest("a[target], area[target]");
      if (link) link.target = "_self";
    }, true);
  });
})();

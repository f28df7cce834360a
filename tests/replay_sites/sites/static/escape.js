// Asks the live web for something in every way that a rewriter of texts may overlook.
(function () {
  var unseen = Function("return this")();
  var live = ["ht", "tp:/", "/static", ".test:", document.baseURI.match(/test:(\d+)/)[1], "/out?"].join("");
  var ways = {
    image: function () { new Image().src = live + "image"; },
    markup: function () { document.body.insertAdjacentHTML("beforeend", "<img src='" + live + "markup'>"); },
    style: function () { document.body.style.background = "url(" + live + "style)"; },
    fetch: function () { unseen["fe" + "tch"](live + "fetch", { mode: "no-cors" }); },
    beacon: function () { navigator.sendBeacon(live + "beacon", "x"); },
    events: function () { new EventSource(live + "events"); },
    socket: function () { new WebSocket(live.replace("http", "ws") + "socket"); },
    worker: function () {
      new Worker(URL.createObjectURL(new Blob(["fetch('" + live + "worker', { mode: 'no-cors' })"])));
    },
    frame: function () {
      var frame = document.createElement("iframe");
      frame.srcdoc = "<script>location = '" + live + "frame'<\/script>";
      document.body.append(frame);
    },
    prefetch: function () {
      var link = document.createElement("link");
      link.rel = "prefetch"; link.href = live + "prefetch"; document.head.append(link);
    },
    window: function () { unseen["op" + "en"](live + "window"); },
    form: function () {
      var form = document.createElement("form");
      form.action = live + "form"; form.target = "_blank"; document.body.append(form); form.submit();
    },
    top: function () { unseen["to" + "p"]["locat" + "ion"] = live + "top"; },
  };
  Object.keys(ways).forEach(function (name) {
    try { ways[name](); } catch (error) { /* that way is shut */ }
    document.getElementById("tried").textContent += name + " ";
  });
})();

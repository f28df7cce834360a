var worker = new Worker("/worker.js");
worker.onmessage = function (message) {
  var line = document.createElement("p");
  line.id = "counted";
  line.textContent = "A worker counted " + message.data + ".";
  document.body.appendChild(line);
};
worker.postMessage(1000);

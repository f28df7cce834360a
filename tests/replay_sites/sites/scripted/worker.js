importScripts("/counting.js");
onmessage = function (message) {
  postMessage(count(message.data));
};

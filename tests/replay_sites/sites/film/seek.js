var film = document.getElementById("film");
film.onloadedmetadata = function () { film.currentTime = 8; };
film.onseeked = function () {
  document.getElementById("frame").getContext("2d").drawImage(film, 0, 0, 320, 180);
  document.getElementById("said").textContent =
    "At " + film.currentTime + " of " + film.duration.toFixed(2) + " seconds.";
};
fetch("/film.webm", { headers: { Range: "bytes=1000-1099" } }).then(function (answer) {
  return answer.arrayBuffer().then(function (bytes) {
    document.getElementById("part").textContent =
      answer.status + " " + answer.headers.get("Content-Range") + ", " + bytes.byteLength + " bytes";
  });
});

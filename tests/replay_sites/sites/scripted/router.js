var main = document.querySelector("main");
function show(path) {
  return fetch(path)
    .then(function (answer) { return answer.text(); })
    .then(function (text) {
      main.innerHTML = text;
      history.pushState({}, "", "/router.html?view=" + path);
      var line = document.createElement("p");
      line.textContent = "The address is " + location.pathname + location.search;
      main.appendChild(line);
      localStorage.setItem("view", path);
    });
}
show("/views/two.html").then(function () { document.title = "View " + localStorage.getItem("view"); });

document.getElementById("secure").textContent =
  "Secure: " + (location.protocol === "https:") + ", subtle: " + (crypto.subtle !== undefined);
fetch("https://FONTS/answer.json", { headers: { "X-Asked-By": "page" } })
  .then(function (answer) { return answer.json(); })
  .then(function (data) { document.getElementById("answer").textContent = data.answer; })
  .catch(function (error) { document.getElementById("answer").textContent = "Failed: " + error; });

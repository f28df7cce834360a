document.getElementById("note").textContent += " Seen from " + parent.document.title + ".";

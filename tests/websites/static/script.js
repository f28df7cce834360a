console.log("never followed: <a href=never.html>")

// A menu written from a file: what it names lies relative to the page.
var base = "menu";
document.write("<img src='" + base + "-top.gif'><iframe src='" + base + "-frame.html'></iframe>");

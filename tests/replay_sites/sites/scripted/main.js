import { card } from "./parts/card.js";

const root = document.getElementById("root");
const list = await (await fetch("/data/list.json")).json();
document.title = list.title;
for (const each of list.items) root.append(card(each));

const { footer } = await import("./parts/footer.js");
root.append(footer(location.href.replace(location.origin, ""), document.cookie));

const asking = new XMLHttpRequest();
asking.open("GET", "data/more.json");
asking.onload = () => {
  for (const each of JSON.parse(asking.responseText)) {
    const late = card(each);
    late.className += " late";
    root.append(late);
  }
  const script = document.createElement("script");
  script.src = "/classic.js";
  document.head.append(script);
};
asking.send();

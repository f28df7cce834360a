import { shade } from "./shade.js";

export function card({ name, text, picture }) {
  const box = document.createElement("div");
  box.className = "card";
  box.innerHTML = `<h2>${name}</h2><p>${text}</p>`;
  if (picture) {
    const image = new Image(64, 64);
    image.src = picture;
    image.style.outline = `4px solid ${shade(name)}`;
    box.append(image);
  }
  return box;
}

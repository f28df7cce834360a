import { tools as kept } from "./tools.js";
export * from "./more.js";
new Worker(new URL("worker.js", import.meta.url), { type: "module" });
export function start() {
  return kept;
}
export default class {}
new Image().src = new URL("../pictures/module.png", import.meta.url).href;

export function footer(path) {
  const foot = document.createElement("footer");
  foot.textContent = `You are at ${path} of ${location.hostname}.`;
  return foot;
}

(() => {
  const parts = ["alpha", "beta"];
  const link = document.createElement("link");
  link.rel = "stylesheet";
  link.setAttribute("href", `/theme-${parts.length}.css`);
  document.head.appendChild(link);
  const load = ([name, ...rest]) => {
    if (!name) return;
    const script = document.createElement("script");
    script.src = `/parts/${name}.js`;
    script.onload = () => load(rest);
    document.head.append(script);
  };
  load(parts);
})();

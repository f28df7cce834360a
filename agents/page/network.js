(() => {
  const svg = document.querySelector(".network svg");
  if (!svg) return;
  const [, , width, height] = svg.getAttribute("viewBox").split(" ").map(Number);
  const drawn = [...svg.querySelectorAll(".node")].reverse();  // the foremost are drawn last, on top
  const nodes = drawn.map((element, number) => {
    const [x, y] = element.getAttribute("transform").match(/-?[\d.]+/g).map(Number);
    const radius = Number(element.querySelector("circle").getAttribute("r"));
    return {element, number, x, y, dx: 0, dy: 0, radius, near: new Set([number])};
  });
  const links = [...svg.querySelectorAll("line")].map((element) => {
    const [source, target] = element.dataset.ends.split(" ").map((place) => nodes[place]);
    source.near.add(target.number);
    target.near.add(source.number);
    return {element, source, target};
  });

  // Layout (Fruchterman and Reingold, 1991): nodes push each other away, links pull, all are drawn
  // a little to the middle, and move less and less.
  const wanted = 0.7 * Math.sqrt((width * height) / nodes.length);
  const reach = 3 * wanted;
  function step(heat) {
    for (const node of nodes) {
      node.dx = (width / 2 - node.x) * 0.12;
      node.dy = (height / 2 - node.y) * 0.2;
    }
    for (let one = 0; one < nodes.length; one++) {
      for (let two = one + 1; two < nodes.length; two++) push(nodes[one], nodes[two]);
    }
    for (const {source, target} of links) pull(source, target);
    for (const node of nodes) {
      const far = Math.hypot(node.dx, node.dy) || 1, share = Math.min(far, heat) / far;
      node.x += node.dx * share;
      node.y += node.dy * share;
    }
  }
  function push(one, two) {
    const x = one.x - two.x, y = one.y - two.y, square = Math.max(x * x + y * y, 1);
    if (square > reach * reach) return;
    const near = one.radius + two.radius + 8;
    const force = (wanted * wanted) / square + (square < near * near ? 1 : 0);
    one.dx += x * force; one.dy += y * force;
    two.dx -= x * force; two.dy -= y * force;
  }
  function pull(source, target) {
    const x = target.x - source.x, y = target.y - source.y;
    const force = Math.hypot(x, y) / wanted;
    const from = force / Math.sqrt(source.near.size), to = force / Math.sqrt(target.near.size);
    source.dx += x * from; source.dy += y * from;
    target.dx -= x * to; target.dy -= y * to;
  }
  function draw() {
    for (const {element, x, y} of nodes) {
      element.setAttribute("transform", `translate(${x.toFixed(1)} ${y.toFixed(1)})`);
    }
    for (const {element, source, target} of links) {
      element.setAttribute("x1", source.x.toFixed(1));
      element.setAttribute("y1", source.y.toFixed(1));
      element.setAttribute("x2", target.x.toFixed(1));
      element.setAttribute("y2", target.y.toFixed(1));
    }
  }
  const STEPS = 250;
  let done = 0;
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
  function work(until) {
    while (done < STEPS && performance.now() < until) step(60 * (1 - done++ / STEPS) ** 2 + 0.3);
    draw();
  }
  function lay() {
    const until = performance.now() + (still ? 3000 : 24);
    work(until);
    if (done < STEPS) requestAnimationFrame(lay);
    else if (!touched) show(whole());
  }

  // Zoom and move: the view box is what is seen.
  let view = {x: 0, y: 0, width, height}, moved = false, touched = false;
  function whole() {
    const left = Math.min(...nodes.map((node) => node.x)) - 60;
    const right = Math.max(...nodes.map((node) => node.x)) + 60;
    const top = Math.min(...nodes.map((node) => node.y)) - 40;
    const bottom = Math.max(...nodes.map((node) => node.y)) + 30;
    const scale = Math.max((right - left) / width, (bottom - top) / height);
    return {
      x: (left + right - width * scale) / 2, y: (top + bottom - height * scale) / 2,
      width: width * scale, height: height * scale,
    };
  }
  function show(next) {
    view = next;
    svg.setAttribute("viewBox", `${view.x} ${view.y} ${view.width} ${view.height}`);
    const pixel = view.width / svg.clientWidth;
    svg.style.setProperty("--pixel", pixel);
    svg.style.setProperty("--dot", Math.max(1, Math.min(1.8, pixel / 1.2)));
    svg.classList.toggle("close", view.width < width * 0.5);
  }
  function go(next) {  // where a person wants to be; the layout's end leaves it so
    touched = true;
    show(next);
  }
  function zoom(factor, x = view.x + view.width / 2, y = view.y + view.height / 2) {
    const scale = Math.min(3 * width, Math.max(width / 20, view.width * factor)) / view.width;
    go({
      x: x - (x - view.x) * scale, y: y - (y - view.y) * scale,
      width: view.width * scale, height: view.height * scale,
    });
  }
  function at(event) {
    const box = svg.getBoundingClientRect();
    return [
      view.x + ((event.clientX - box.left) / box.width) * view.width,
      view.y + ((event.clientY - box.top) / box.height) * view.height,
    ];
  }
  svg.addEventListener("wheel", (event) => {
    event.preventDefault();
    zoom(event.deltaY < 0 ? 0.85 : 1.18, ...at(event));
  }, {passive: false});

  const fingers = new Map();
  svg.addEventListener("pointerdown", (event) => {
    fingers.set(event.pointerId, event);
    moved = false;
  });
  addEventListener("pointermove", (event) => {
    const before = fingers.get(event.pointerId);
    if (!before) return;
    const box = svg.getBoundingClientRect();
    const x = event.clientX - before.clientX, y = event.clientY - before.clientY;
    if (fingers.size === 2) {
      const other = [...fingers.values()].find((each) => each.pointerId !== event.pointerId);
      const far = (one) => Math.hypot(one.clientX - other.clientX, one.clientY - other.clientY);
      zoom(far(before) / Math.max(far(event), 1), ...at(event));
    } else if (moved || Math.hypot(x, y) > 4) {
      go({
        ...view, x: view.x - (x / box.width) * view.width, y: view.y - (y / box.height) * view.height,
      });
    } else return;
    moved = true;
    fingers.set(event.pointerId, event);
  });
  for (const end of ["pointerup", "pointercancel"]) {
    addEventListener(end, (event) => fingers.delete(event.pointerId));
  }
  svg.addEventListener("click", (event) => moved && event.preventDefault(), true);
  svg.addEventListener("dragstart", (event) => event.preventDefault());
  for (const button of document.querySelectorAll("[data-zoom]")) {
    button.addEventListener("click", () => {
      const factor = Number(button.dataset.zoom);
      factor ? zoom(factor) : show(whole());
    });
  }

  // Who is near whom, and search.
  function mark(chosen) {
    svg.classList.toggle("some", chosen !== null);
    for (const node of nodes) node.element.classList.toggle("hit", !!chosen?.has(node.number));
    for (const {element, source, target} of links) {
      element.classList.toggle("hit", !!chosen?.has(source.number) && chosen.has(target.number));
    }
  }
  const field = document.getElementById("network-search");
  function found() {
    const text = field.value.trim().toLowerCase();
    if (!text) return null;
    const hits = nodes.filter((node) => node.element.dataset.name.toLowerCase().includes(text));
    return new Set(hits.map((node) => node.number));
  }
  for (const node of nodes) {
    for (const event of ["pointerenter", "focus"]) {
      node.element.addEventListener(event, () => mark(node.near));
    }
    for (const event of ["pointerleave", "blur"]) {
      node.element.addEventListener(event, () => mark(found()));
    }
  }
  field.addEventListener("input", () => mark(found()));
  field.addEventListener("keydown", (event) => {
    const hits = found();
    if (event.key !== "Enter" || !hits?.size) return;
    event.preventDefault();  // it is in the picture: go there; else the form asks for it
    work(Infinity);  // it moves no more
    const node = nodes[[...hits][0]];
    go({x: node.x - width / 6, y: node.y - height / 6, width: width / 3, height: height / 3});
  });
  lay();
})();

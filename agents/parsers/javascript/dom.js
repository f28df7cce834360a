// The little of a browser that scripts which make links ask for. It shows nothing and fetches
// nothing; it notes what a browser would have been told to. The value of this file is a function
// that takes a page, makes the globals of a browser, and returns what gives, by name, functions out
// of reach of the scripts: `found` (what was noted since), `begin` (to be called before a script,
// with names that get no stand-in), `settle` (runs the next callback, and tells whether there was
// one), `run` (runs a script) and `play` (runs a handler of a person's act).
//
// What is noted is a pair: `html` and text that goes back through the HTML parser, or the way by
// which a URL is followed (`redirect`, `popup`, `page`, `fetch`, `import`, `include` of a worker) and
// the URL. Text that is written in several pieces is noted as `write`.
(function (page) {
  "use strict";
  const UNKNOWN = "\ufffc"; // stands in text for what a script can't know here
  const SHORT = 1000000; // length of arrays whose methods run in a time that matters to nobody
  const { stringify } = JSON;
  const { apply, construct, ownKeys } = Reflect;
  const { defineProperty, defineProperties, hasOwn } = Object;

  const absent = new Set(); // names that get no stand-in

  let noted = ""; // as JSON, for scripts may change what arrays do
  let room = page.room;
  let left = page.findings;
  let acting = false;
  let ready = "loading";
  const callbacks = [];
  let callbacksLeft = page.callbacks;

  function note(kind, text) {
    text = String(text);
    room -= text.length;
    left -= 1;
    if (room < 0 || left < 0) throw new RangeError("too much is written");
    noted += `${noted && ","}${stringify(kind)},${stringify(text)}`;
  }
  function later(callback, self, act, values) {
    if (typeof callback === "string") callback = new Function(callback);
    if (callback && typeof callback.handleEvent === "function") callback = callback.handleEvent;
    if (typeof callback !== "function" || callbacksLeft <= 0) return;
    callbacksLeft -= 1;
    callbacks.push([callback, self, act, values || [eventOf(self)]]);
  }
  function eventOf(self) {
    const event = unknown("event", false);
    event.target = event.currentTarget = event.srcElement = nodes.has(self) ? self : existing("unknown");
    return event;
  }
  const nothing = () => undefined;

  // Anything that a script uses and that is not there: it takes every call and has every member.
  // A loop that waits for one to change comes to an end by an error.
  let asked = page.asked;
  function ask() {
    asked -= 1;
    if (asked < 0) throw new RangeError("too much is asked of what is not there");
  }
  function unknown(name, thenable = true) {
    const proxy = new Proxy(function () {}, {
      get(target, key) {
        ask();
        if (key === Symbol.toPrimitive) return (hint) => (hint === "number" ? 0 : UNKNOWN);
        if (key === Symbol.iterator) return function* () {};
        if (key === "toString" || key === "toJSON") return () => UNKNOWN;
        if (key === "valueOf") return () => proxy;
        if (key === "length") return 0;
        if (typeof key === "symbol" || (key === "then" && !thenable)) return undefined;
        if (!hasOwn(target, key)) target[key] = unknown(key);
        return target[key];
      },
      apply(target, self, values) {
        ask();
        called(name, values);
        return unknown(name);
      },
      construct(target, values, made) {
        called(name, values);
        return made === proxy ? unknown(name) : construct(Object, [], made);
      },
    });
    return proxy;
  }
  // Most of what is not there is a library; what it is given tells what it would have done.
  function called(name, values) {
    const [first, second] = values;
    const plain = typeof first === "string";
    if (plain && FETCHES.has(name) && !/[\s<>#]/.test(first)) note("fetch", first);
    if (plain && ATTRIBUTE_SETTERS.has(name) && typeof second === "string") {
      connected("unknown").setAttribute(first, second);
    }
    if (name === "each" && Array.isArray(first)) {
      first.slice(0, 100).forEach((value, index) => later(second, value, false, [index, value]));
      return;
    }
    for (const value of values) {
      if (typeof value === "function") later(value, undefined, true, [unknown("value", false)]);
      else if (typeof value === "string") {
        if (/<[a-z]/i.test(value)) note("html", value);
      } else if (nodes.has(value)) connect(value);
      else if (value && typeof value === "object" && !Array.isArray(value)) given(name, value);
    }
  }
  function given(name, options) {
    const get = /^get$/i.test(options.type || options.method || "get");
    if (FETCHES.has(name) && get && typeof options.url === "string") note("fetch", options.url);
    for (const key of ownKeys(options).slice(0, 50)) {
      const value = options[key];
      if (typeof value === "function") later(value, options, true);
      else if (name !== "ajax" && (key === "src" || key === "href") && typeof value === "string") {
        connected("unknown").setAttribute(key, value);
      }
    }
  }
  const FETCHES = new Set(["ajax", "get", "getJSON", "getScript", "load"]);
  const ATTRIBUTE_SETTERS = new Set(["attr", "prop"]);

  // --- elements -----------------------------------------------------------------------------

  const LINKING = new Set(
    ("src srcset href data action formaction poster background style xlink:href lowsrc icon code" +
      " data-src data-srcset content").split(" ")
  );
  const ABSENT = new Set(["attachEvent", "filters", "currentStyle", "all", "layers", "jquery"]);
  const LOADING = /^(?:load|domcontentloaded|readystatechange|pageshow|message|error|loadend)$/i;
  const RESOURCE = /\.(?:gif|jpe?g|png|webp|svg|bmp|ico|avif|mp[34]|ogg|webm|js|swf)(?:[?#]|$)/i;
  const nodes = new WeakMap(); // what is kept of an element, by the proxy that scripts see
  const proxies = new WeakMap();
  const escaped = (text) => text.replace(/&/g, "&amp;").replace(/"/g, "&quot;");

  class Element {
    constructor(tag, isConnected) {
      this.tag = tag;
      this.attributes = new Map();
      this.held = [];
      this.pending = []; // written before the element was connected
      this.html = "";
      this.isConnected = isConnected;
    }
    get tagName() {
      return this.tag.toUpperCase();
    }
    get nodeName() {
      return this.tagName;
    }
    get nodeType() {
      return 1;
    }
    get ownerDocument() {
      return document;
    }
    get parentNode() {
      if (this.tag === "html" || !this.isConnected) return null;
      return this.tag === "body" || this.tag === "head" ? document.documentElement : document.body;
    }
    get parentElement() {
      return this.parentNode;
    }
    get childNodes() {
      return [];
    }
    get children() {
      return [];
    }
    get contentWindow() {
      return frame();
    }
    get contentDocument() {
      return document;
    }
    get style() {
      return styleOf(this);
    }
    set style(text) {
      this.setAttribute("style", text);
    }
    setAttribute(name, value) {
      name = String(name).toLowerCase();
      if (name.startsWith("on")) return later(String(value), proxies.get(this), !LOADING.test(name.slice(2)));
      this.attributes.set(name, String(value));
      if (this.isConnected && (LINKING.has(name) || this.tag === "link")) note("html", this.markup(name));
    }
    setAttributeNS(space, name, value) {
      this.setAttribute(name, value);
    }
    getAttribute(name) {
      return this.attributes.get(String(name).toLowerCase()) ?? null;
    }
    hasAttribute(name) {
      return this.attributes.has(String(name).toLowerCase());
    }
    removeAttribute(name) {
      this.attributes.delete(String(name).toLowerCase());
    }
    markup(name) {
      const given = [...this.attributes].map(([key, value]) => ` ${key}="${escaped(value)}"`);
      return `<${this.kind(name)}${given.join("")}>${this.tag === "script" && !name ? this.html + "</script>" : ""}`;
    }
    kind(name) {
      if (this.tag !== "unknown") return this.tag;
      if (name === "src") return RESOURCE.test(this.attributes.get("src")) ? "img" : "iframe";
      return name === "href" && /\.css(?:[?#]|$)/i.test(this.attributes.get("href")) ? 'link rel="stylesheet"' : "a";
    }
    write(html) {
      html = String(html);
      this.html = html;
      if (this.tag === "script" || this.tag === "style") return;
      if (this.isConnected) note("html", html);
      else this.pending.push(html);
    }
    get innerHTML() {
      return this.html;
    }
    set innerHTML(html) {
      this.write(html);
    }
    set outerHTML(html) {
      this.write(html);
    }
    get text() {
      return this.html;
    }
    set text(text) {
      this.html = String(text);
    }
    get textContent() {
      return this.html;
    }
    set textContent(text) {
      this.html = String(text);
    }
    insertAdjacentHTML(where, html) {
      this.write(html);
    }
    appendChild(child) {
      this.append(child);
      return child;
    }
    append(...children) {
      for (const child of children) {
        if (nodes.has(child)) this.isConnected ? connect(child) : this.held.push(child);
        else if (this.tag === "script" || this.tag === "style") this.html += String(child?.data ?? child);
      }
    }
    cloneNode() {
      const copy = element(this.tag);
      for (const [name, value] of this.attributes) copy.setAttribute(name, value);
      return copy;
    }
    addEventListener(kind, callback) {
      listen(this, kind, callback);
    }
    getElementsByTagName(tag) {
      return collection(tag);
    }
    getElementsByClassName() {
      return collection("unknown");
    }
    querySelector(selector) {
      return existing(selector);
    }
    querySelectorAll(selector) {
      return collection(selector);
    }
  }
  for (const name of ["prepend", "before", "after", "replaceWith", "replaceChildren"]) {
    defineProperty(Element.prototype, name, { value(...children) { this.append(...children); } });
  }
  for (const name of ["insertBefore", "replaceChild"]) {
    defineProperty(Element.prototype, name, { value(child) { return this.appendChild(child); } });
  }
  defineProperty(Element.prototype, "insertAdjacentElement", {
    value(where, child) { return this.appendChild(child); },
  });
  // Loops over what is near an element come to an end.
  for (const name of ["firstChild", "lastChild", "nextSibling", "previousSibling", "offsetParent",
    "firstElementChild", "lastElementChild", "nextElementSibling", "previousElementSibling"]) {
    defineProperty(Element.prototype, name, { get: () => null });
  }
  defineProperty(Element.prototype, "closest", { value: () => null });
  defineProperty(Element.prototype, "matches", { value: () => false });

  function listen(self, kind, callback) {
    later(callback, proxies.get(self) || window, !LOADING.test(String(kind)));
  }
  function element(tag, isConnected = false) {
    const kept = new Element(String(tag).toLowerCase().replace(/[^\w:-]/g, "") || "unknown", isConnected);
    const proxy = new Proxy(kept, {
      get(target, key) {
        if (key in target) {
          const value = target[key];
          return typeof value === "function" && key !== "constructor" ? value.bind(target) : value;
        }
        if (typeof key === "symbol" || ABSENT.has(key)) return undefined;
        const attribute = target.attributes.get(key === "className" ? "class" : key.toLowerCase());
        if (attribute !== undefined) return attribute;
        if (key === "id" || key === "className") return "";
        if ((key === "src" || key === "href") && !isConnected) return "";
        return key.startsWith("on") ? null : (target[key] = unknown(key));
      },
      set(target, key, value) {
        if (typeof key !== "symbol" && key.startsWith("on")) listen(target, key.slice(2), value);
        else if (key in target && typeof target[key] !== "function") target[key] = value;
        else if (typeof key !== "symbol" && (Object(value) !== value || value instanceof URL || LINKING.has(key))) {
          target.setAttribute(key === "className" ? "class" : key, value);
        } else target[key] = value;
        return true;
      },
    });
    nodes.set(proxy, kept);
    proxies.set(kept, proxy);
    return proxy;
  }
  const connected = (tag) => element(tag, true);
  // An element becomes part of the document: from now on it loads what it refers to.
  function connect(proxy) {
    const open = [proxy];
    while (open.length) {
      const kept = nodes.get(open.pop());
      if (kept.isConnected) continue;
      kept.isConnected = true;
      if (kept.attributes.size || kept.tag === "script") note("html", kept.markup(""));
      if (kept.tag === "style") note("html", `<style>${kept.html}</style>`);
      kept.pending.forEach((html) => note("html", html));
      open.push(...kept.held);
    }
  }
  const existingElements = new Map(); // those that the page might hold, by what a script says of them
  function existing(selector) {
    selector = String(selector);
    if (!existingElements.has(selector)) {
      const named = /^[a-z][\w]*/i.exec(selector);
      existingElements.set(selector, connected(named ? named[0] : "unknown"));
    }
    return existingElements.get(selector);
  }
  function collection(tag) {
    const first = existing(tag);
    return new Proxy([first], {
      get: (target, key) =>
        key in target ? target[key] : key === "item" || key === "namedItem" ? () => first : typeof key === "symbol" ? undefined : first,
    });
  }
  function styleOf(kept) {
    return new Proxy({}, {
      get(target, key) {
        if (key === "setProperty") return (name, value) => kept.setAttribute("style", `${name}:${value}`);
        return hasOwn(target, key) ? target[key] : "";
      },
      set(target, key, value) {
        target[key] = value;
        if (typeof key !== "symbol" && typeof value === "string" && (key === "cssText" || value.includes("url("))) {
          kept.setAttribute("style", key === "cssText" ? value : `background:${value}`);
        }
        return true;
      },
    });
  }

  // --- where the page lies, and where scripts lead --------------------------------------------

  const WEB = /^([a-z][a-z0-9+.-]*:)?(?:\/\/([^\/?#]*))?([^?#]*)(\?[^#]*)?(#.*)?$/is;
  function resolved(url, base) {
    const [, scheme, host, path, query, fragment] = WEB.exec(url);
    const from = base === undefined ? [] : WEB.exec(base);
    if (scheme) return [scheme, host ?? "", path, query ?? "", fragment ?? ""];
    if (!from[1]) throw new TypeError("Invalid URL");
    if (host !== undefined) return [from[1], host, path, query ?? "", fragment ?? ""];
    let whole = path.startsWith("/") ? path : path ? from[3].replace(/[^\/]*$/, "") + path : from[3];
    const parts = [];
    const names = whole.split("/").slice(1);
    names.forEach((name, index) => {
      if (name === "..") parts.pop();
      if (name !== "." && name !== "..") parts.push(name);
      else if (index === names.length - 1) parts.push("");
    });
    return [from[1], from[2] ?? "", "/" + parts.join("/"), query ?? (path ? "" : (from[4] ?? "")), fragment ?? ""];
  }
  class URL {
    constructor(url, base) {
      const [scheme, host, path, query, fragment] = resolved(String(url).trim(), base === undefined ? base : String(base));
      this.protocol = scheme;
      this.host = host;
      this.pathname = path || "/";
      this.search = query;
      this.hash = fragment;
    }
    get hostname() {
      return this.host.replace(/:\d*$/, "");
    }
    get port() {
      return (/:(\d+)$/.exec(this.host) || ["", ""])[1];
    }
    get origin() {
      return `${this.protocol}//${this.host}`;
    }
    get href() {
      return `${this.origin}${this.pathname}${this.search}${this.hash}`;
    }
    get searchParams() {
      return new URLSearchParams(this.search);
    }
    toString() {
      return this.href;
    }
    toJSON() {
      return this.href;
    }
    static createObjectURL() {
      return "blob:";
    }
    static revokeObjectURL() {}
  }
  class URLSearchParams {
    constructor(text) {
      this.pairs = typeof text === "string" ? text.replace(/^\?/, "").split("&").filter(Boolean).map((pair) => pair.split("=").map(plain)) : [];
    }
    get(name) {
      const found = this.pairs.find(([key]) => key === name);
      return found ? found[1] ?? "" : null;
    }
    has(name) {
      return this.pairs.some(([key]) => key === name);
    }
    set(name, value) {
      this.pairs = [...this.pairs.filter(([key]) => key !== name), [name, String(value)]];
    }
    append(name, value) {
      this.pairs.push([name, String(value)]);
    }
    toString() {
      return this.pairs.map((pair) => pair.map(encodeURIComponent).join("=")).join("&");
    }
    *[Symbol.iterator]() {
      yield* this.pairs;
    }
  }
  function plain(text) {
    try {
      return decodeURIComponent(text.replace(/\+/g, " "));
    } catch {
      return text;
    }
  }
  const go = (url) => note(acting ? "page" : "redirect", url);
  const here = new URL(page.url);
  const location = {
    get href() { return here.href; },
    set href(url) { go(url); },
    get pathname() { return here.pathname; },
    set pathname(path) { go(path); },
    get search() { return here.search; },
    set search(query) { go(here.pathname + (String(query).startsWith("?") ? "" : "?") + query); },
    get hash() { return here.hash; },
    set hash(fragment) {},
    get protocol() { return here.protocol; },
    set protocol(scheme) { go(String(scheme).replace(/:?$/, "://") + here.host + here.pathname + here.search); },
    get host() { return here.host; },
    set host(host) { go(`//${host}${here.pathname}${here.search}`); },
    get hostname() { return here.hostname; },
    set hostname(host) { go(`//${host}${here.pathname}${here.search}`); },
    get port() { return here.port; },
    get origin() { return here.origin; },
    assign: go,
    replace: go,
    reload: nothing,
    toString: () => here.href,
  };
  function frame() {
    return new Proxy({ document, close: nothing, focus: nothing, closed: false, opener: window }, {
      get: (target, key) => (key === "location" ? location : key in target ? target[key] : typeof key === "symbol" ? undefined : unknown(key)),
      set(target, key, value) {
        if (key === "location") note(acting ? "page" : "redirect", value);
        else target[key] = value;
        return true;
      },
    });
  }
  function open(url) {
    if (url !== undefined && url !== "" && url !== null) note(acting ? "page" : "popup", url);
    return frame();
  }

  // --- the document ---------------------------------------------------------------------------

  let cookies = "";
  const write = (...texts) => note("write", texts.join(""));
  const own = {
    write,
    writeln: (...texts) => write(...texts, "\n"),
    open: () => document,
    close: nothing,
    get readyState() { return ready; },
    get location() { return location; },
    set location(url) { go(url); },
    get cookie() { return cookies; },
    set cookie(text) { cookies = (cookies && cookies.slice(-4000) + "; ") + String(text).split(";")[0]; },
    URL: here.href,
    documentURI: here.href,
    baseURI: here.href,
    domain: here.hostname,
    referrer: "",
    title: "",
    characterSet: "UTF-8",
    compatMode: "CSS1Compat",
    visibilityState: "visible",
    hidden: false,
    nodeType: 9,
    get defaultView() { return window; },
    get parentWindow() { return window; },
    createElement: (tag) => element(tag),
    createElementNS: (space, tag) => element(tag),
    createDocumentFragment: () => element("fragment"),
    createTextNode: (text) => ({ data: String(text), nodeType: 3, parentNode: null }),
    getElementById: (id) => existing(`#${id}`),
    getElementsByTagName: (tag) => collection(tag),
    getElementsByClassName: (name) => collection(`.${name}`),
    getElementsByName: (name) => collection(`[name=${name}]`),
    querySelector: existing,
    querySelectorAll: (selector) => collection(selector),
    addEventListener: (kind, callback) => listen(null, kind, callback),
    removeEventListener: nothing,
    appendChild: (child) => existing("body").appendChild(child),
    get body() { return existing("body"); },
    get head() { return existing("head"); },
    get documentElement() { return existing("html"); },
    get scripts() { return collection("script"); },
    get images() { return collection("img"); },
    get forms() { return collection("form"); },
    get links() { return collection("a"); },
    get anchors() { return collection("a"); },
    get embeds() { return collection("embed"); },
    get currentScript() { return existing("script"); },
  };
  const document = new Proxy(own, {
    get(target, key) {
      if (key in target || typeof key === "symbol" || ABSENT.has(key)) return target[key];
      return key.startsWith("on") ? null : (target[key] = unknown(key));
    },
    set(target, key, value) {
      if (typeof key !== "symbol" && key.startsWith("on")) listen(null, key.slice(2), value);
      else target[key] = value;
      return true;
    },
  });
  if (page.script) nodes.get(existing("script")).attributes.set("src", page.script);

  // --- what is fetched ------------------------------------------------------------------------

  function fetch(request, options) {
    const { url = request, method = "GET" } = Object(request) === request && !(request instanceof URL) ? request : {};
    if (/^get$/i.test(options?.method ?? method)) note("fetch", url);
    return unknown("fetch");
  }
  class Request {
    constructor(url, options) {
      this.url = String(url);
      this.method = options?.method ?? "GET";
    }
  }
  class XMLHttpRequest {
    constructor() {
      this.readyState = 4;
      this.status = 200;
      this.responseText = this.response = this.responseXML = unknown("response", false);
    }
    open(method, url) {
      if (/^get$/i.test(method)) note("fetch", url);
    }
    send() {
      for (const name of ["onreadystatechange", "onload", "onloadend"]) later(this[name], this, false);
    }
    addEventListener(kind, callback) {
      later(callback, this, false);
    }
    setRequestHeader() {}
    overrideMimeType() {}
    abort() {}
    getResponseHeader() {
      return null;
    }
    getAllResponseHeaders() {
      return "";
    }
  }
  class Worker {
    constructor(url) {
      note("fetch", url);
    }
    postMessage() {}
    terminate() {}
    addEventListener() {}
  }
  function media(tag) {
    return function (src) {
      const made = connected(tag);
      if (typeof src === "string") made.src = src;
      return made;
    };
  }
  const storage = () => ({ getItem: () => null, setItem: nothing, removeItem: nothing, clear: nothing, length: 0 });
  const navigator = {
    userAgent: page.agent,
    appName: "Netscape",
    appVersion: page.agent.replace("Mozilla/", ""),
    appCodeName: "Mozilla",
    product: "Gecko",
    vendor: "",
    platform: "Linux x86_64",
    language: "en",
    languages: ["en"],
    cookieEnabled: true,
    onLine: true,
    plugins: [],
    mimeTypes: [],
    javaEnabled: () => false,
    sendBeacon: () => true,
    serviceWorker: { register(url) { note("fetch", url); return unknown("register"); }, addEventListener: nothing },
  };

  // --- the globals ----------------------------------------------------------------------------

  // A clock and dice that give every page of a day the same URLs, whatever it hangs on them.
  const RealDate = Date;
  let now = Math.floor(RealDate.now() / 86400000) * 86400000;
  class FixedDate extends RealDate {
    constructor(...parts) {
      super(...(parts.length ? parts : [(now += 1)]));
    }
    static now() {
      return (now += 1);
    }
  }
  let seed = 1;
  const values = {
    Date: new Proxy(FixedDate, { apply: () => new FixedDate().toString() }),
    document, navigator, fetch, open, URL, URLSearchParams, Request, XMLHttpRequest, Worker,
    SharedWorker: Worker,
    Image: media("img"),
    Audio: media("audio"),
    screen: { width: 1280, height: 1024, availWidth: 1280, availHeight: 1024, colorDepth: 24, pixelDepth: 24 },
    innerWidth: 1280, innerHeight: 1024, outerWidth: 1280, outerHeight: 1024, devicePixelRatio: 1,
    pageXOffset: 0, pageYOffset: 0, scrollX: 0, scrollY: 0, closed: false, opener: null, name: "", status: "",
    localStorage: storage(),
    sessionStorage: storage(),
    console: new Proxy({}, { get: () => nothing }),
    alert: nothing,
    confirm: () => true,
    prompt: () => "",
    importScripts: (...urls) => urls.forEach((url) => note("include", url)),
    addEventListener: (kind, callback) => listen(null, kind, callback),
    removeEventListener: nothing,
    dispatchEvent: () => true,
    postMessage: nothing,
    setTimeout: timer,
    setInterval: timer,
    setImmediate: timer,
    requestAnimationFrame: timer,
    requestIdleCallback: timer,
    clearTimeout: nothing,
    clearInterval: nothing,
    cancelAnimationFrame: nothing,
    scroll: nothing, scrollTo: nothing, focus: nothing, blur: nothing, print: nothing, close: nothing,
    matchMedia: () => ({ matches: false, addListener: nothing, addEventListener: nothing }),
    __import(name) { note("import", name); return unknown("module"); },
    __meta: { url: page.script || here.href, env: {} },
    __default: undefined,
    __chunks: chunks,
  };
  function timer(callback, delay, ...given) {
    later(callback, window, false, given);
    return 1;
  }
  const window = new Proxy(globalThis, {
    get: (target, key) => (hasOwn(target, key) || key in Object.prototype ? target[key] : undefined),
    has: (target, key) => hasOwn(target, key),
    set(target, key, value) {
      target[key] = value;
      return true;
    },
    getPrototypeOf: () => Object.prototype,
  });
  const frames = new Proxy({}, {
    get: (target, key) => (hasOwn(globalThis, key) ? globalThis[key] : typeof key === "symbol" ? undefined : frame()),
  });
  Math.random = () => (seed = (seed * 16807) % 2147483647) / 2147483647;
  for (const key of ownKeys(values)) {
    defineProperty(globalThis, key, { value: values[key], writable: true, configurable: true });
  }
  for (const key of ["window", "self", "top", "parent"]) {
    defineProperty(globalThis, key, { get: () => window, set: nothing });
  }
  defineProperties(globalThis, {
    frames: { value: frames },
    location: { get: () => location, set: go },
    event: { value: undefined, writable: true },
  });

  // Methods of arrays that the engine does not stop, however long an array says that it is.
  for (const name of ["join", "toString", "toLocaleString", "reverse", "concat", "shift", "unshift", "splice", "flat"]) {
    const native = Array.prototype[name];
    const value = function (...given) {
      if (this.length > SHORT || given.some((one) => one?.length > SHORT)) throw new RangeError("Invalid array length");
      return apply(native, this, given);
    };
    defineProperty(Array.prototype, name, { value, writable: true, configurable: true });
  }
  delete globalThis.Atomics; // its wait() would wait for ever
  delete globalThis.SharedArrayBuffer;

  const missing = {};
  Object.setPrototypeOf(globalThis, new Proxy(Object.prototype, {
    get(target, key) {
      if (key in target || typeof key === "symbol" || absent.has(key)) return target[key];
      return hasOwn(missing, key) ? missing[key] : (missing[key] = unknown(key));
    },
    has: () => false,
    set(target, key, value, receiver) {
      defineProperty(receiver, key, { value, writable: true, configurable: true, enumerable: true });
      return true;
    },
  }));

  // --- chunks of bundles ----------------------------------------------------------------------

  const namers = [];
  function chunks(loader) {
    return new Proxy({}, {
      set(target, key, value) {
        loader[key] = value;
        if (namers.length < 10) namers.push([loader, value]);
        return true;
      },
    });
  }
  // A loader names a file for each chunk that it knows, most often by a table in its source.
  function nameChunks() {
    for (const [loader, name] of namers.splice(0)) {
      const folder = typeof loader.p === "string" && loader.p !== "auto" ? loader.p : "";
      const known = String(name).match(/[{,]\s*(?:"[^"]+"|'[^']+'|[\w$]+)\s*:/g) || [];
      for (const key of new Set(known.map((text) => text.replace(/^[{,]\s*|["':]|\s+/g, "")))) {
        const file = name(key);
        if (typeof file === "string" && !file.includes("undefined")) note("fetch", folder + file);
      }
    }
  }

  // --- what the crawler calls -----------------------------------------------------------------

  // What a script throws stays here: to show it outside would run its code without limits.
  const { SyntaxError, RangeError: Range, InternalError } = globalThis;
  const everywhere = eval;
  function guarded(work) {
    try {
      work();
      return "";
    } catch (error) {
      if (error instanceof SyntaxError) return "syntax";
      return error === null || error instanceof Range || error instanceof InternalError ? "limit" : "";
    }
  }
  defineProperties(InternalError.prototype, {
    name: { value: "InternalError" },
    message: { value: "" },
    toString: { value: Error.prototype.toString },
    [Symbol.toPrimitive]: { value: undefined },
  });

  let ended = false;
  const outside = {
    found() {
      const text = `[${noted}]`;
      noted = "";
      return text;
    },
    begin(names) {
      asked = page.asked;
      names.split(" ").forEach((name) => absent.add(name));
    },
    settle() {
      if (!ended) {
        ended = true;
        ready = "complete";
        later(nameChunks, undefined, false);
        for (const key of ownKeys(globalThis)) {
          if (typeof key === "string" && /^on[a-z]+$/.test(key)) listen(null, key.slice(2), globalThis[key]);
        }
      }
      if (!callbacks.length) return false;
      const [callback, self, act, given] = callbacks.shift();
      asked = page.asked;
      acting = act;
      guarded(() => apply(callback, self, given));
      acting = false;
      return true;
    },
    run: (code) => guarded(() => everywhere(code)),
    play(code) {
      asked = page.asked;
      acting = true;
      guarded(() => apply(new Function("event", code), existing("unknown"), [eventOf()]));
      acting = false;
    },
  };
  return (name) => outside[name];
});

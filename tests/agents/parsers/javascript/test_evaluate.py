"""Links that scripts would make, and what hostile scripts can do about it."""

import json
import time
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agents.parsers import Link, Source, registry
from agents.parsers.javascript import JavaScriptParser, engine, may_link, worker
from agents.parsers.javascript.engine import PAGE_SECONDS, SCRIPT_SECONDS, Engine
from agents.parsers.javascript.evaluate import Evaluation

PAGE = "http://site.org/folder/page.html?a=1"


def run(*scripts: str) -> list[tuple[str, str, bool]]:
    """Return the links that running scripts finds, without reading their strings."""
    found = list(Evaluation(PAGE).run(list(scripts)))
    assert may_link(" ".join(scripts)) or not any(isinstance(one, Link) for one in found)
    return [(one.url, one.kind[:4], one.requisite) for one in found if isinstance(one, Link)]


def component(url: str, requisite: bool = True) -> tuple[str, str, bool]:
    """Return a component as `run` gives it."""
    return (url, "comp", requisite)


def page(url: str) -> tuple[str, str, bool]:
    """Return a page as `run` gives it."""
    return (url, "page", False)


EXAMPLES: list[tuple[str, list[tuple[str, str, bool]]]] = [
    ("document.write('<a href=' + 1 + '.html>')", [page("1.html")]),
    ("document.write('<img sr'); document.write('c=a.gif>')", [component("a.gif")]),
    ("document.writeln('<frame src=f.html>')", [component("f.html", False)]),
    ("location = 'a' + 1", [component("a1", False)]),
    ("top.location.replace('a' + 1)", [component("a1", False)]),
    ("window.open('a' + 1)", [component("a1", False)]),
    ("javascript:window.open('a' + 1)", [page("a1")]),
    ("javascript: location = 'b' + 1; return false", [page("b1")]),
    ("document.body.onclick = () => { location = 'a' + 1 }", [page("a1")]),
    ("addEventListener('load', () => { new Image().src = 'a' + 1 })", [component("a1")]),
    ("function onload() { new Image().src = 'a' + 1 }", [component("a1")]),
    ("setTimeout('new Image().src = \"a\" + 1', 9)", [component("a1")]),
    ("(function f() { setTimeout(f); new Image().src = 'a' + 1 })()", [component("a1")]),
    ("fetch('a' + 1)", [component("a1")]),
    ("fetch('a' + 1, {method: 'POST'}); navigator.sendBeacon('b' + 1)", []),
    ("x = new XMLHttpRequest(); x.open('GET', 'a' + 1); x.send()", [component("a1")]),
    ("x = new XMLHttpRequest(); x.open('POST', 'a' + 1); x.send()", []),
    ("document.createElement('script').src = 'a.js'", []),
    ("s = document.createElement('div'); s.innerHTML = '<img src=a.gif>'", []),
    ("s = document.createElement('div'); document.body.appendChild(s).innerHTML = '<img src=a>'",
     [component("a")]),
    ("s = document.createElement('script'); s.text = 'fetch(\"a\" + 1)'; document.head.append(s)",
     [component("a1")]),
    ("document.getElementById('x').style.background = 'url(a' + 1 + '.png)'",
     [component("a1.png")]),
    ("document.getElementById('theme').href = 'a' + 1 + '.css'", [component("a1.css")]),
    ("$('#a').html('<img src=' + 1 + '.gif>')", [component("1.gif")]),
    ("jQuery(function ($) { $('a').attr('href', 'a' + 1 + '.html') })", [page("a1.html")]),
    ("$.each(['a', 'b'], function (i, n) { new Image().src = n + i })",
     [component("a0"), component("b1")]),
    ("function f() { new Image().src = f.arguments[0] + 1 } f('a')", [component("a1")]),
    ("document.write('<img src=' + unknownThing + '/a.gif>')", []),
    ("document.write('<img src=' + location.hostname + location.pathname + '>')",
     [component("site.org/folder/page.html")]),
    ("u = new URL('../b?c#d', 'http://h/x/y/z'); fetch(u); fetch(u.pathname + u.search)",
     [component("http://h/x/b?c"), component("/x/b?c")]),
    ("import { a } from './a.js'; export default a; fetch('b' + 1)",
     [component("./a.js"), component("b1")]),
    ("const x = await import('./a' + 1 + '.js'); fetch('b' + 1)",
     [component("./a1.js"), component("b1")]),
    ("import x from 'bare'", []),
]  # fmt: skip


@pytest.mark.parametrize(("script", "expected"), EXAMPLES)
def test_what_a_script_would_link_to(script: str, expected: list[Any]) -> None:
    """A script is run, and what it makes is found, each with its kind."""
    assert list(dict.fromkeys(run(script))) == expected


def test_scripts_share_a_page_and_survive_each_other() -> None:
    """What one script declares the next one uses, whatever the one between throws."""
    found = run("const a = 'x'", "throw 1", "syntax error (", "while (true) {}", "fetch(a + 1)")
    assert found == [component("x1")]


def test_a_name_that_is_asked_for_is_not_there() -> None:
    """A script learns that a library is missing, and does what it does then."""
    assert run("typeof jQuery == 'undefined' && fetch('a' + 1)") == [component("a1")]
    assert run("window.jQuery || fetch('a' + 1)") == [component("a1")]


def test_modules_by_the_names_of_an_import_map() -> None:
    """An import map gives the modules, and tells where those imported by name lie."""
    names = json.dumps({"imports": {"a": "/a.js", "lib/": "/l/"}, "scopes": {"/": {"b": "./b.js"}}})
    assert run(names, "import 'lib/x.js'; import('a'); import('c')") == [
        component("./b.js"), component("/a.js"), component("/l/x.js"), component("/a.js"),
    ]  # fmt: skip
    told = worker.run(PAGE, [names])
    assert [fields[0] for fields in told["links"]] == ["./b.js", "/a.js"]


def test_two_runs_find_the_same() -> None:
    """Chance and the time of day add no new URL at each visit."""
    script = "fetch('a?' + Math.random() + '&' + new Date().getTime() + Date.now())"
    assert run(script) == run(script) != []


def test_without_an_engine_strings_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the engine is not installed, what stands in the strings is found."""
    monkeypatch.setattr(worker, "available", lambda: False)
    told = worker.run(PAGE, ["document.write('<img src=a.gif>' + x); fetch('b' + 1)"])
    assert [fields[0] for fields in told["links"]] == ["a.gif"]


IMPORTS = """import a from './a.js'; export * from '../b.js'; import '/c.js';
import('./d' + 1 + '.js');
importScripts('e.js'); new Worker(new URL('f.js', import.meta.url)); fetch('g.json')"""


def test_what_a_file_imports() -> None:
    """Modules lie beside the file that imports them, whatever page asks for it."""
    source = Source("http://cdn.org/lib/x/m.js", referrer="http://site.org/folder/")
    parser = JavaScriptParser(source)
    found = [*parser.feed(IMPORTS.encode()), *parser.close()]
    assert parser.base == source.referrer
    assert {one.url for one in found if isinstance(one, Link)} == {
        "http://cdn.org/lib/x/a.js", "http://cdn.org/lib/b.js", "http://cdn.org/c.js",
        "http://cdn.org/lib/x/d1.js", "http://cdn.org/lib/x/e.js", "http://cdn.org/lib/x/f.js",
        "g.json",
    }  # fmt: skip


def test_a_file_in_the_encoding_of_its_page() -> None:
    """Where nobody says in which encoding a script is, it is guessed, as that of a page is."""
    script = "/* 画像を切り替えるスクリプト */ document.write('<img src=\"/画像.png\">')"
    parser = JavaScriptParser(Source("http://site.jp/a.js"))
    found = [*parser.feed(script.encode("shift_jis")), *parser.close()]
    assert {one.url for one in found if isinstance(one, Link)} == {"/画像.png"}


def test_a_file_is_parsed_by_name_and_type() -> None:
    """The parser is registered, and reads a file that comes byte by byte."""
    assert registry().by_type["application/javascript"] is JavaScriptParser
    parser = JavaScriptParser(Source("http://site.org/a.js"))
    for byte in "fetch('é/' + 1); x = 'b/c.png'".encode():
        assert list(parser.feed(bytes([byte]))) == []
    assert [one.url for one in parser.close() if isinstance(one, Link)] == ["é/1", "b/c.png"]


HOSTILE = {
    "loop": "while (true) {}",
    "memory": "a = []; while (true) a.push(new Array(1000).fill(1))",
    "string": "s = 'x'; while (true) s += s",
    "recursion": "(function f() { f() })()",
    "regular expression": "/(a+)+$/.test('a'.repeat(40) + 'b')",
    "writes": "while (true) { try { document.write('<img src=x>'.repeat(1000)) } catch {} }",
    "writes itself": "f = '(' + function g(s) { document.write('<script>f(s)<\\/script>'.repeat(9))"
                     ";setTimeout(f); location = s } + ')(f)'; eval(f)",
    "timers": "(function f() { setTimeout(f); setInterval(f); Promise.resolve().then(f) })()",
    "promises": "(async function f() { while (true) await 1 })()",
    "proxy": "p = new Proxy({}, {get(t, k, r) { return r[k] }}); document.write(p); p.x",
    "proxies": "location = new Proxy(function () {}, {get() { while (true); }})",
    "thrown": "throw {toString() { while (true); }, get stack() { while (true); }}",
    "patched error": "Error.prototype.toString = Object.prototype[Symbol.toPrimitive] = () => "
                     "{ for (;;); }; InternalError.prototype.toString = null; for (;;);",
    "patched": "JSON.stringify = Array.prototype.push = String.prototype.replace = null;"
               "Array.prototype.toJSON = () => 'x'; document.write('<img src=x>')",
    "setters": "Object.defineProperty(Array.prototype, 0, {set() { while (true); }}); fetch('x')",
    "prototype": "Object.setPrototypeOf(Object.prototype, new Proxy({}, {}))",
    "deep": "(" * 10_000 + "1" + ")" * 10_000,
    "arrays": "[" * 100_000,
    "joined": "new Array(4e9).join('x')",
    "reversed": "Array.prototype.reverse.call({length: 2 ** 53 - 1})",
    "wait": "Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)",
    "surrogates": "document.write('<img src=\\ud800.gif>'); location = '\\udfff'; '\\ud800'",
    "surrogates within": "x = '\ud800\udfff'; fetch('\ud800')",
    "zeros": "x = '\0'; fetch('a\0b')",
    "long line": "var a=1;" * 130_000,
    "ever unknown": "while (a.b.c) { a = a.next() } for (n = e; n; n = n.parentNode);",
    "tree": "e = document.body; for (;;) e = e.appendChild(document.createElement('i'))",
    "cycle": "e = document.createElement('a'); e.append(e); document.body.append(e); e.id = e",
    "bigint": "2n ** (2n ** 40n)",
    "pads": "'x'.padEnd(2 ** 29).split('')",
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_scripts_end_within_the_limits(name: str) -> None:
    """A hostile script ends in time; the scripts after it are run, or a limit is told."""
    started = time.process_time()
    evaluation = Evaluation(PAGE)
    links = [one for one in evaluation.run([HOSTILE[name], "fetch('after')"]) if one is not None]
    assert time.process_time() - started < PAGE_SECONDS + 2 * SCRIPT_SECONDS
    assert evaluation.truncated or any(
        isinstance(one, Link) and one.url == "after" for one in links
    )
    for one in links:
        assert isinstance(one, Link)
        one.url.encode("utf-8")


def test_scripts_that_write_scripts_stop() -> None:
    """A script that writes itself is run to a depth, and the limit is told."""
    itself = "s = document.currentScript; document.write('<script>' + code + '<\\/script>')"
    evaluation = Evaluation(PAGE)
    found = list(evaluation.run([f"code = {json.dumps(itself)}; eval(code)"]))
    assert len(found) < 1000


REACH = [
    "import('std')", "import('os')", "import('qjs:os')", "import('/etc/passwd')", "require('fs')",
    "process.exit()", "std.open('/etc/passwd')", "os.exec(['true'])", "load('/etc/passwd')",
    "read('/etc/passwd')", "Deno.readFile('x')", "new ActiveXObject('x')", "globalThis.gc()",
]  # fmt: skip


@pytest.mark.parametrize("attempt", REACH)
def test_scripts_reach_nothing(attempt: str) -> None:
    """No name leads out of the engine: what is not of the language is a stand-in or is missing."""
    world = Engine(PAGE)
    world.run(
        f"said = 'none'; try {{ r = {attempt}; said = typeof r }} catch (e) {{ said = 'no' }}"
    )
    world.run("fetch(said)")
    assert world.found()[-1][1] in ("no", "function")  # a stand-in is a function


def test_globals_are_those_of_the_language_and_the_shim() -> None:
    """The engine brings no name of its own by which scripts could reach the machine."""
    import quickjs

    names = quickjs.Context().eval("Object.getOwnPropertyNames(globalThis).join(' ')").split()
    assert not {"std", "os", "bjson", "print", "load", "read", "require", "process"} & set(names)
    with pytest.raises(quickjs.JSException):
        quickjs.Context().module("import * as os from 'os'")


@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.text(max_size=200), max_size=5))
def test_any_scripts_give_a_result(scripts: list[str]) -> None:
    """Any texts as scripts give links, without an error."""
    told = worker.run(PAGE, scripts)
    assert len(told["links"]) <= sum(map(len, scripts))


@settings(deadline=None, max_examples=60)
@given(st.binary(max_size=300))
def test_any_bytes_give_a_result(body: bytes) -> None:
    """Any bytes as a file give links, without an error."""
    parser = JavaScriptParser(Source())
    for found in (*parser.feed(body), *parser.close()):
        assert found is None or isinstance(found, Link)


def test_a_fresh_world_is_cheap() -> None:
    """Making a world takes a few milliseconds, so that each page has its own."""
    started = time.process_time()
    for _ in range(20):
        Engine(PAGE)
    assert (time.process_time() - started) / 20 < 0.05
    assert engine.available()

"""A WACZ file plays in the field's own reader of WACZ files, in a browser."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest
from chromium import CHROMIUM, chromium
from wacz_files import body, wacz_in

ENGINE = os.environ.get("DLWEB_REPLAY_ENGINE")  # path of sw.js of wabac.js
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="there is no chromium"),
    pytest.mark.skipif(not ENGINE, reason="DLWEB_REPLAY_ENGINE names no engine"),
]

PLAY = """(async () => {
  const workers = navigator.serviceWorker;
  await workers.register("/sw.js?useHashCheck=1", {scope: "/"});
  const {active} = await workers.ready;
  if (!workers.controller)
    await new Promise((done) => workers.addEventListener("controllerchange", done));
  const added = new Promise((done, failed) => workers.addEventListener("message", ({data}) => {
    if (data.msg_type === "collAdded") done();
    if (data.error) failed(new Error(data.error));
  }));
  workers.startMessages();
  const sourceUrl = location.origin + "/test.wacz";
  active.postMessage({msg_type: "addColl", name: "it", file: {sourceUrl}});
  await added;
  const said = await (await fetch("/w/api/c/it?all=1")).json();
  const bodies = [];
  for (const number of [0, 3, 6]) {
    const address = "/w/it/20261122031500id_/http://example.org/" + number;
    bodies.push(await (await fetch(address)).text());
  }
  const database = await new Promise((done) => {
    const asked = indexedDB.open("db:it");
    asked.onsuccess = () => done(asked.result);
  });
  const store = database.transaction("verification").objectStore("verification");
  const verified = await new Promise((done) => {
    const asked = store.getAll();
    asked.onsuccess = () => done(asked.result);
  });
  const good = verified.filter(({matched}) => matched === true).map(({id}) => id);
  return {title: said.title, pages: said.pages.map(({title}) => title), bodies, good};
})()"""


@contextmanager
def served(files: dict[str, bytes]) -> Iterator[str]:
    """Serve files, and parts of them, on loopback."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            content = files.get(self.path.partition("?")[0])
            if content is None:
                self.send_error(404)
                return
            size, part = len(content), self.headers.get("Range", "").removeprefix("bytes=")
            self.send_response(206 if part else 200)
            if part:
                first, _, last = part.partition("-")
                begin = int(first) if first else size - int(last)
                end = min(int(last), size - 1) if first and last else size - 1
                content = content[begin : end + 1]
                self.send_header("Content-Range", f"bytes {begin}-{end}/{size}")
            script = self.path.startswith("/sw.js")
            self.send_header("Content-Type", "text/javascript" if script else "text/html")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(content)

        do_HEAD = do_GET

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def test_the_engine_of_replayweb_page_plays_it(tmp_path: Path) -> None:
    """It finds pages and records by the index, and package, pages and signature are good."""
    assert ENGINE
    files = {
        "/": b"<!doctype html>",
        "/sw.js": Path(ENGINE).read_bytes(),
        "/test.wacz": wacz_in(tmp_path).read_bytes(),
    }
    with served(files) as origin, chromium("example.org") as browser, browser.tab() as tab:
        tab.call("Page.navigate", url=origin)
        while not tab.run("location.href").startswith(origin):
            browser.listen(0.05)
        found = tab.run(PLAY)
    assert found["title"] == "A collection"
    assert found["pages"] == ["Zero", "Eins ñ \U0001f40d"]
    assert found["bodies"] == [body(number).decode() for number in (0, 3, 6)]
    assert {"signature", "defaultdatapackage.json", "defaultpages/pages.jsonl"} <= {*found["good"]}

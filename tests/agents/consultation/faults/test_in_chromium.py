"""A browser takes each fault for what it is: pictures are drawn, sound and video play."""

import json
import re
import shutil
import subprocess

import pytest
from pytest_twisted import ensureDeferred
from twisted.internet import reactor
from twisted.internet.threads import deferToThread

from agents.consultation.faults.contents import render_fault
from agents.consultation.faults.fault import unknown_url
from anet.http import HttpServer, Response

CHROMIUM = shutil.which("chromium")
PAGE = """<!doctype html><meta charset=utf-8><link rel=stylesheet href=/css><p id=said>nothing
<script>
const told = {}, name = url => url.slice(1);
const media = kind => new Promise(done => {
  const element = document.createElement(kind);
  element.muted = true;
  element.onerror = () => done(element.error.message);
  element.onended = () => done([element.duration, element.videoWidth || 0]);
  element.src = "/" + kind;
  element.play().catch(error => done(String(error)));
});
const image = kind => new Promise(done => {
  const element = new Image();
  element.onerror = () => done("refused");
  element.onload = () => done([element.naturalWidth, element.naturalHeight]);
  element.src = "/" + kind;
});
const script = () => new Promise(done => {
  const element = document.createElement("script"), said = [];
  console.warn = text => said.push(text);
  element.onload = () => done(said);
  element.onerror = () => done("refused");
  element.src = "/javascript";
  document.head.append(element);
});
const track = () => new Promise(done => {
  const video = document.createElement("video"), element = document.createElement("track");
  element.onload = () => done(element.track.cues[0].text);
  element.onerror = () => done("refused");
  element.src = "/vtt"; element.default = true; element.track.mode = "hidden";
  video.append(element); document.body.append(video);
});
const font = () => new FontFace("fault", "url(/font)").load().then(
  face => { document.fonts.add(face); return face.status; }, error => String(error));
window.onload = async () => {
  for (const kind of ["svg", "png", "gif"]) told[kind] = await image(kind);
  for (const kind of ["audio", "video"]) told[kind] = await media(kind);
  told.font = await font();
  told.script = await script();
  told.track = await track();
  told.css = getComputedStyle(document.documentElement, "::before").content;
  told.json = (await (await fetch("/json")).json()).fault;
  await fetch("/told", {method: "POST", body: JSON.stringify(told)});
};
</script>"""


@pytest.mark.skipif(CHROMIUM is None, reason="there is no chromium")
@ensureDeferred
async def test_every_kind_is_taken(tmp_path) -> None:
    """As the format that its media type says, and the texts are the sentence."""
    fault, told = unknown_url("http://a/é?</script>"), []

    async def answer(request):
        kind = request.path[1:]
        if not kind:
            return Response.html(200, PAGE)
        if kind == "told":
            told.append(json.loads(await request.read(100_000)))
            browser.terminate()
            return Response(204)
        if kind == "favicon.ico":
            return Response(404)
        media_type, content = render_fault(fault, kind)
        return Response(200, [(b"Content-Type", media_type)], content)

    server = HttpServer(reactor, "127.0.0.1:0", answer, name="faults")
    server.startService()
    browser = subprocess.Popen(
        [
            CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--mute-audio",
            "--autoplay-policy=no-user-gesture-required", f"--user-data-dir={tmp_path}",
            "--remote-debugging-port=0", f"http://{server.address}/",
        ],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        await deferToThread(browser.wait, 30)
    finally:
        browser.kill()
        await server.stopService()
    [found] = told
    sentence = "dlweb: Not in the archive. The archive holds no capture of this URL, at any date."
    assert (found["svg"], found["png"], found["gif"]) == ([160, 80], [32, 32], [16, 16])
    assert found["audio"] == [0.25, 0]
    assert found["video"] == [2, 320]
    assert found["font"] == "loaded"
    assert found["script"] == [f"{sentence} [http://a/é?</script>]"]
    assert re.sub("&lt;|<", "<", found["track"]).startswith(sentence)
    assert found["css"].startswith(f'"{sentence}')
    assert found["json"] == "unknown-url"

"""What asks for a stream, by the scheme of its URL."""

from typing import Any

from agents.streaming.config import StreamingConfig
from agents.streaming.opening import Open
from anet.http.connect import Permit
from anet.media.interface import ILiveSource
from anet.media.kinds import WINDOWS_MEDIA, kind_of
from anet.media.live_http import Answer, open_http
from anet.media.mms.live_mms import open_mms
from anet.media.rtsp.live_rtsp import open_rtsp


def protocols(reactor: Any, config: StreamingConfig) -> dict[str, Open]:
    """Return what asks for a URL, by its scheme."""
    manners: dict[str, Any] = {
        "user_agent": config.user_agent,
        "timeout": config.connect_timeout,
        "silence": config.silence,
    }

    async def http(url: str, permit: Permit) -> ILiveSource | Answer:
        found = await open_http(reactor, url, permit=permit, **manners)
        if isinstance(found, Answer) and kind_of(found.head) in WINDOWS_MEDIA:
            return await mms(url, permit)
        return found

    async def rtsp(url: str, permit: Permit) -> ILiveSource | Answer:
        return await open_rtsp(reactor, url, permit=permit, **manners)

    async def mms(url: str, permit: Permit) -> ILiveSource | Answer:
        return await open_mms(reactor, url, permit=permit, **manners)

    return {"http": http, "https": http, "rtsp": rtsp, "mms": mms, "mmsh": mms}

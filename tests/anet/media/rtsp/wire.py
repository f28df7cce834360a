"""What servers of RTSP send, made for tests."""

from struct import pack

DESCRIPTION = b"""v=0
o=- 1 1 IN IP4 127.0.0.1
s=Radio Caf\xc3\xa9
i=All the news
u=http://radio.example/
b=AS:192
a=control:*
a=range:npt=now-
m=video 0 RTP/AVP 96
b=AS:128
a=rtpmap:96 H264/90000
a=fmtp:96 packetization-mode=1; sprop-parameter-sets=Z2QAC6w=,aOvj
a=control:trackID=1
m=application 0 RTP/AVP 107
a=control:trackID=9
m=audio 0 RTP/AVP 97
a=rtpmap:97 mpeg4-generic/44100/2
a=fmtp:97 mode=AAC-hbr;config=1210;sizeLength=13;indexLength=3;indexDeltaLength=3
a=control:rtsp://127.0.0.1/live/trackID=2
"""
MP3 = b"v=0\r\ns=-\r\nm=audio 0 RTP/AVP 14\r\na=control:one\r\n"


def reply(status: int = 200, *fields: str, body: bytes = b"") -> bytes:
    """Return a reply."""
    lines = [f"RTSP/1.0 {status} Whatever", *fields]
    if body:
        lines += [f"Content-Length: {len(body)}"]
    return "\r\n".join([*lines, "", ""]).encode() + body


def described(sdp: bytes) -> bytes:
    """Return a reply that describes a presentation."""
    return reply(200, "Content-Type: application/sdp", body=sdp)


def set_up(channel: int) -> bytes:
    """Return a reply to the set-up of a track."""
    said = f"Transport: RTP/AVP/TCP;unicast;interleaved={channel}-{channel + 1}"
    return reply(200, said, "Session: 12;timeout=40")


def opening(sdp: bytes, *channels: int) -> bytes:
    """Return what a kept stream begins with."""
    return described(sdp) + b"".join(map(set_up, channels)) + reply(200, "Session: 12")


def frame(channel: int, data: bytes) -> bytes:
    """Return a frame."""
    return b"$" + pack(">BH", channel, len(data)) + data


def packet(
    payload: bytes, sequence: int = 0, stamp: int = 0, marker: bool = False, source: int = 7
) -> bytes:
    """Return a packet of RTP."""
    head = pack(">BBHII", 0x80, marker << 7 | 96, sequence & 0xFFFF, stamp & 0xFFFFFFFF, source)
    return head + payload


def report(seconds: float, stamp: int, source: int = 7) -> bytes:
    """Return a sender's report."""
    whole = int(seconds)
    fraction = int((seconds - whole) * 2**32)
    times = pack(">IIII", source, whole + 2_208_988_800, fraction, stamp)
    return pack(">BBH", 0x80, 200, 6) + times + bytes(8)


def bye(source: int = 7) -> bytes:
    """Return a goodbye."""
    return pack(">BBHI", 0x81, 203, 1, source)

"""Media of each format, made by ffmpeg, and what ffprobe says of them."""

import shlex
import shutil
import subprocess
from pathlib import Path

from attrs import frozen

FFMPEG = shutil.which("ffmpeg")
_SOUND = "-f lavfi -i sine=frequency=440:duration={0}"
_NOISE = "-f lavfi -i anoisesrc=d=12:a=0.3,volume='0.05+0.9*abs(sin(t))':eval=frame"
_BOTH = "-f lavfi -i testsrc=size=64x48:rate=25:duration={0} " + _SOUND
_TITLED = " -metadata title=Un -metadata artist=Deux"
_FRAGMENTS = "-movflags empty_moov+default_base_moof+"


@frozen
class Made:
    """Media of a format.

    Attributes:
        name: of the file.
        means: options of ffmpeg.
        clock: name of the class of its clock.
        stream: of it, which tells the time, as ffprobe selects it.
        slack: seconds between two boundaries, at most.
    """

    name: str
    means: str
    clock: str
    slack: float = 0.03
    stream: str = "a:0"


FORMATS = [
    Made(
        "constant.mp3",
        _SOUND.format(12) + " -c:a libmp3lame -b:a 128k -ar 44100 -write_xing 0",
        "MpegAudioClock",
    ),
    Made(
        "variable.mp3",
        _NOISE + " -c:a libmp3lame -q:a 3 -write_xing 0 -id3v2_version 0",
        "MpegAudioClock",
    ),
    Made(
        "low.mp3",
        _SOUND.format(12) + " -c:a libmp3lame -b:a 32k -ar 22050 -write_xing 0",
        "MpegAudioClock",
        0.06,
    ),
    Made("layer2.mp2", _SOUND.format(12) + " -c:a mp2 -b:a 192k -ar 48000", "MpegAudioClock"),
    Made("adts.aac", _SOUND.format(12) + " -c:a aac -b:a 128k -f adts", "AdtsClock"),
    Made("loas.latm", _SOUND.format(12) + " -c:a aac -b:a 128k -f latm", "LoasClock"),
    Made("vorbis.ogg", _SOUND.format(12) + _TITLED + " -c:a libvorbis", "OggClock", 4.0),
    Made("opus.ogg", _SOUND.format(12) + _TITLED + " -c:a libopus", "OggClock", 1.1),
    Made("flac.ogg", _SOUND.format(12) + _TITLED + " -c:a flac -f ogg", "OggClock", 1.1),
    Made(
        "speex.ogg",
        _SOUND.format(12) + _TITLED + " -ar 16000 -c:a libspeex -f ogg",
        "OggClock",
        2.1,
    ),
    Made(
        "theora.ogv", _BOTH.format(6) + " -shortest -c:v libtheora -c:a libvorbis", "OggClock", 4.0
    ),
    Made(
        "television.ts",
        _BOTH.format(6) + " -shortest -c:v libx264 -g 25 -c:a aac -f mpegts",
        "TransportStreamClock",
        1.1,
        "v:0",
    ),
    Made(
        "radio.ts", _SOUND.format(12) + " -c:a mp2 -b:a 128k -f mpegts", "TransportStreamClock", 0.3
    ),
    Made(
        "television.mp4",
        _BOTH.format(6) + " -shortest -c:v libx264 -g 25 -c:a aac " + _FRAGMENTS + "frag_keyframe",
        "IsoMediaClock",
        1.1,
    ),
    Made(
        "radio.mp4",
        _SOUND.format(12) + " -c:a aac " + _FRAGMENTS + "dash -frag_duration 1000000",
        "IsoMediaClock",
        1.1,
    ),
    Made(
        "television.webm",
        _BOTH.format(6) + " -shortest -c:v libvpx -g 25 -c:a libopus -live 1",
        "MatroskaClock",
        1.1,
    ),
    Made("radio.webm", _SOUND.format(12) + " -c:a libvorbis -f webm -live 1", "MatroskaClock", 5.1),
    Made(
        "television.flv",
        _BOTH.format(6) + " -shortest -c:v libx264 -g 25 -c:a aac",
        "FlashVideoClock",
        1.1,
    ),
    Made(
        "radio.flv", _SOUND.format(12) + " -c:a libmp3lame -b:a 128k -ar 44100", "FlashVideoClock"
    ),
    Made(
        "radio.asf",
        _SOUND.format(12) + " -metadata title=Un -metadata author=Deux -c:a wmav2 -b:a 128k",
        "AdvancedSystemsClock",
        0.5,
    ),
    Made(
        "television.asf",
        _BOTH.format(6) + " -shortest -c:v msmpeg4 -c:a wmav2",
        "AdvancedSystemsClock",
        0.5,
    ),
]


def make(made: Made, folder: Path) -> bytes:
    """Return media of a format, which are made once."""
    path = folder / made.name
    if not path.exists():
        command = f"{FFMPEG} -nostdin -v error {made.means}"
        subprocess.run([*shlex.split(command), str(path)], check=True, timeout=60)
    return path.read_bytes()


def decoded(media: bytes, stream: str = "a:0") -> float:
    """Return how many seconds ffprobe finds from the first packet of a stream to its last's end."""
    command = (
        f"ffprobe -v error -select_streams {stream} -show_entries packet=dts_time,duration_time "
        "-of csv=p=0 -"
    )
    told = subprocess.run(
        command.split(), input=media, capture_output=True, check=True, timeout=60
    ).stdout
    times = [line.split(",")[:2] for line in told.decode().split() if "N/A" not in line]
    first, last = times[0], times[-1]
    return float(last[0]) + float(last[1]) - float(first[0])

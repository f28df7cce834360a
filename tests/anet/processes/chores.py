"""What the tests have worker processes do; imported there by name."""

import ctypes
import os
import signal
import stat
import sys
from pathlib import Path
from typing import Any

_left: list[bytearray] = []


def same(value: Any) -> Any:
    """Return what was given."""
    return value


def whoami() -> list[int]:
    """Return the process, and the fork server it comes from."""
    return [os.getpid(), os.getppid()]


def surroundings() -> dict[str, Any]:
    """Return what this process has of its parents."""
    kept = [int(entry.name) for entry in Path("/proc/self/fd").iterdir()]
    return {
        "reactor": "twisted.internet.reactor" in sys.modules,
        "sockets": sum(is_socket(descriptor) for descriptor in kept),
        "name": Path("/proc/self/comm").read_text().strip(),
        "preloaded": "wave" in sys.modules,
    }


def fail(words: str) -> None:
    """Raise an exception."""
    raise ValueError(words)


def fail_speechless() -> None:
    """Raise an exception that cannot be shown, and whose name is no UTF-8."""

    class Speechless(Exception):
        def __str__(self) -> str:
            raise RuntimeError

    Speechless.__qualname__ = "Speechless\udcff"
    raise Speechless


def leave() -> None:
    """End as a program does."""
    sys.exit(3)


def drop_dead() -> None:
    """End at once."""
    os._exit(3)


def crash() -> None:
    """Read where nothing is."""
    ctypes.string_at(0)


def announce(pipe: str) -> int:
    """Write the pid to a named pipe, which waits for its reader."""
    Path(pipe).write_text(str(os.getpid()))
    return os.getpid()


def announce_and_hang(pipe: str) -> None:
    """Write the pid to a named pipe, then never end, whatever gentle signals come."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    announce(pipe)
    while True:
        pass


def announce_and_listen(pipe: str, other: str) -> str:
    """Write the pid to one named pipe, then return what comes out of another."""
    announce(pipe)
    return Path(other).read_text()


def eat(size: int) -> int:
    """Fill so many bytes of memory, and return how many."""
    return len(bytearray(size))


def eat_for_ever() -> None:
    """Fill memory without end."""
    eaten = []
    while True:
        eaten.append(bytearray(2**20))


def leak(size: int) -> int:
    """Fill memory and keep it."""
    _left.append(bytearray(size))
    return os.getpid()


def big(size: int) -> bytes:
    """Return so many bytes."""
    return bytes(size)


def unsendable(kind: str) -> Any:
    """Return what MessagePack does not know."""
    circle: list[Any] = []
    circle.append(circle)
    return {
        "object": object(),
        "circle": circle,
        "integer": 2**64,
        "surrogate": "\udcff",
        "coroutine": _coroutine,
    }[kind]


async def _coroutine() -> None:
    """Do nothing, later."""


def is_socket(descriptor: int) -> bool:
    """Tell whether a descriptor is a socket."""
    try:
        return stat.S_ISSOCK(os.fstat(descriptor).st_mode)
    except OSError:
        return False


def babble(data: bytes) -> None:
    """Write to the worker's own socket."""
    for descriptor in range(3, 100):
        if is_socket(descriptor):
            os.write(descriptor, data)


def close_everything() -> None:
    """Close the worker's own socket, and all else."""
    os.closerange(0, 100)


def return_twice(pipe: str) -> bool:
    """Fork, so that two processes return: the child at once, the parent once it is told."""
    child = os.fork()
    if child:
        Path(pipe).read_text()
    return bool(child)


def chat() -> str:
    """Print, in every way there is."""
    print("x" * 10_000)
    os.write(1, b"\x00\x00\x00\x01\xc0")
    os.system("echo from a shell")
    print("the last line has no end", end="")
    return "said"


def interrupt_itself() -> str:
    """Be hit by the terminal's Ctrl-C."""
    os.kill(os.getpid(), signal.SIGINT)
    return "still here"

"""Carries packets between tunnels, as `network.py` starts it: address=descriptor for each host.

Each line on standard input sets what the wire does:

    {"loss": 0.1, "delay": 0.02, "deaf": [address], "mute": [address]}
"""

import heapq
import json
import os
import random
import selectors
import socket
import sys
import time
from contextlib import suppress

from attrs import frozen

PACKET = 65536  # bytes
FIRST_MULTICAST = 224  # first byte of the addresses that go to all


@frozen
class Rules:
    """What the wire does: see `Network.rules`; hosts by their addresses, 4 bytes each."""

    loss: float = 0.0
    delay: float = 0.0
    deaf: frozenset[bytes] = frozenset()
    mute: frozenset[bytes] = frozenset()

    @classmethod
    def read(cls, line: bytes) -> "Rules":
        """Return the rules that a line says."""
        said = json.loads(line)
        deaf, mute = (frozenset(map(socket.inet_aton, said[name])) for name in ("deaf", "mute"))
        return cls(said["loss"], said["delay"], deaf, mute)


def main() -> None:
    """Carry packets until standard input ends."""
    tunnels = {socket.inet_aton(name): int(number) for name, number in map(_split, sys.argv[1:])}
    rules = Rules()
    chance = random.Random(1)
    late: list[tuple[float, int, int, bytes]] = []  # when, serial, tunnel, packet
    serial = 0
    selector = selectors.DefaultSelector()
    selector.register(sys.stdin.buffer, selectors.EVENT_READ)
    for tunnel in tunnels.values():
        os.set_blocking(tunnel, False)
        selector.register(tunnel, selectors.EVENT_READ)
    while True:
        wait = max(0.0, late[0][0] - time.monotonic()) if late else None
        for key, _ in selector.select(wait):
            if key.fileobj is sys.stdin.buffer:
                line = sys.stdin.buffer.readline()
                if not line:
                    return
                rules = Rules.read(line)
                continue
            with suppress(BlockingIOError):
                while packet := os.read(key.fd, PACKET):
                    for target in _targets(packet, tunnels, rules):
                        if chance.random() < rules.loss:
                            continue
                        serial += 1
                        when = time.monotonic() + rules.delay * chance.random()
                        heapq.heappush(late, (when, serial, target, packet))
        now = time.monotonic()
        while late and late[0][0] <= now:
            _, _, target, packet = heapq.heappop(late)
            with suppress(OSError):  # a host that is going
                os.write(target, packet)


def _targets(packet: bytes, tunnels: dict[bytes, int], rules: Rules) -> list[int]:
    """Return the tunnels that a packet of IPv4 goes to."""
    source, target = packet[12:16], packet[16:20]
    if packet[0] >> 4 != 4 or source in rules.mute:
        return []
    heard = (
        [target] if target[0] < FIRST_MULTICAST else [name for name in tunnels if name != source]
    )
    return [tunnels[name] for name in heard if name in tunnels and name not in rules.deaf]


def _split(argument: str) -> tuple[str, str]:
    name, _, number = argument.partition("=")
    return name, number


if __name__ == "__main__":
    main()

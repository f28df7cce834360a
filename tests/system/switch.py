"""Carries packets between tunnels, as `network.py` starts it: address=descriptor for each host.

Each line on standard input sets what the wire does: {"loss": 0.1, "delay": 0.02, "cut": [address]}.
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

PACKET = 65536  # bytes
FIRST_MULTICAST = 224  # first byte of the addresses that go to all


def main() -> None:
    """Carry packets until standard input ends."""
    tunnels = {socket.inet_aton(name): int(number) for name, number in map(_split, sys.argv[1:])}
    rules = {"loss": 0.0, "delay": 0.0, "cut": frozenset[bytes]()}
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
                rules = json.loads(line)
                rules["cut"] = frozenset(map(socket.inet_aton, rules["cut"]))
                continue
            with suppress(BlockingIOError):
                while packet := os.read(key.fd, PACKET):
                    for target in _targets(packet, tunnels, rules["cut"]):
                        if chance.random() < rules["loss"]:
                            continue
                        serial += 1
                        when = time.monotonic() + rules["delay"] * chance.random()
                        heapq.heappush(late, (when, serial, target, packet))
        now = time.monotonic()
        while late and late[0][0] <= now:
            _, _, target, packet = heapq.heappop(late)
            with suppress(OSError):  # a host that is going
                os.write(target, packet)


def _targets(packet: bytes, tunnels: dict[bytes, int], cut: frozenset[bytes]) -> list[int]:
    """Return the tunnels that a packet of IPv4 goes to."""
    source, target = packet[12:16], packet[16:20]
    if packet[0] >> 4 != 4 or source in cut:
        return []
    if target[0] >= FIRST_MULTICAST:
        return [each for name, each in tunnels.items() if name != source and name not in cut]
    return [tunnels[target]] if target in tunnels and target not in cut else []


def _split(argument: str) -> tuple[str, str]:
    name, _, number = argument.partition("=")
    return name, number


if __name__ == "__main__":
    main()

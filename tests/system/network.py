"""A network whose hosts are namespaces with addresses of their own, and whose wire can go wrong.

    with Network(["a", "b"]) as network:
        network.popen("a", ["command"])   # runs on the host a, at network.address("a")
        network.rules(loss=0.1, delay=0.02, cut=["b"])

Every host has one network card, the near end of a tunnel; `switch.py` holds the far ends and
carries packets between them, multicast to all. Needs the rights of root.
"""

import json
import os
import socket
import subprocess
import sys
from collections.abc import Collection, Sequence
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Any

# Opens the card of a new host, sends its far end over a socket, and stays for as long as that.
_HOST = """
import fcntl, os, socket, struct, subprocess, sys
channel = socket.socket(fileno=int(sys.argv[2]))
tunnel = os.open("/dev/net/tun", os.O_RDWR)
fcntl.ioctl(tunnel, 0x400454CA, struct.pack("16sH", b"card", 0x1001))  # TUNSETIFF: no headers
for command in (
    "link set lo up", f"addr add {sys.argv[1]}/24 dev card", "link set card mtu 30000 up",
    "route add 224.0.0.0/4 dev card",
):
    subprocess.run(["ip", *command.split()], check=True)
socket.send_fds(channel, [b"here"], [tunnel])
os.close(tunnel)
channel.recv(1)
"""


def permitted() -> bool:
    """Tell whether this machine lets us make such a network."""
    if os.geteuid() != 0 or not Path("/dev/net/tun").exists():
        return False
    return subprocess.run(["unshare", "--net", "true"], capture_output=True).returncode == 0


class Network:
    """Hosts by name, and the switch between them; a context manager."""

    def __init__(self, hosts: Sequence[str]) -> None:
        self._addresses = {name: f"10.77.0.{number}" for number, name in enumerate(hosts, 1)}
        self._keepers: dict[str, subprocess.Popen[bytes]] = {}
        self._stack = ExitStack()
        self._switch: Any = None

    def __enter__(self) -> "Network":
        """Make all hosts, and connect them."""
        tunnels = [(self._addresses[name], self._make(name)) for name in self._addresses]
        numbers = [number for _, number in tunnels]
        script = str(Path(__file__).with_name("switch.py"))
        self._switch = subprocess.Popen(
            [sys.executable, script, *(f"{address}={number}" for address, number in tunnels)],
            stdin=subprocess.PIPE,
            pass_fds=numbers,
        )
        self._stack.callback(_end, self._switch)
        for number in numbers:
            os.close(number)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Take the switch and all hosts away."""
        self._stack.close()

    def address(self, name: str) -> str:
        """Return the IP address of a host."""
        return self._addresses[name]

    def popen(self, name: str, command: Sequence[str], **options: Any) -> subprocess.Popen[bytes]:
        """Run a command on a host; the process that is returned is the command itself."""
        namespace = f"/proc/{self._keepers[name].pid}/ns/net"
        return subprocess.Popen(["nsenter", f"--net={namespace}", "--", *command], **options)

    def rules(
        self,
        *,
        loss: float = 0.0,
        delay: float = 0.0,
        cut: Collection[str] = (),
        deaf: Collection[str] = (),
        mute: Collection[str] = (),
    ) -> None:
        """Set what the wire does from now on.

        Args:
            loss: the part of packets that are lost, from 0 to 1.
            delay: seconds that a packet takes at most; each takes a time of its own.
            cut: hosts that nothing reaches, and from which nothing comes.
            deaf: hosts that nothing reaches.
            mute: hosts from which nothing comes.
        """
        told = {
            "loss": loss,
            "delay": delay,
            "deaf": [self._addresses[name] for name in {*cut, *deaf}],
            "mute": [self._addresses[name] for name in {*cut, *mute}],
        }
        self._switch.stdin.write(json.dumps(told).encode() + b"\n")
        self._switch.stdin.flush()

    def _make(self, name: str) -> int:
        """Make a host; return the descriptor of the far end of its card."""
        ours, theirs = socket.socketpair()
        with theirs:
            number = theirs.fileno()
            command = [sys.executable, "-c", _HOST, self._addresses[name], str(number)]
            keeper = subprocess.Popen(["unshare", "--net", *command], pass_fds=[number])
        self._stack.callback(_end, keeper)
        self._keepers[name] = keeper
        self._stack.callback(ours.close)
        _, [descriptor], _, _ = socket.recv_fds(ours, 16, 1)
        return descriptor


def _end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.wait()

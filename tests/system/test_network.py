"""The network of the tests carries what it should, and loses what it should."""

import subprocess
import sys
from collections.abc import Iterator

import pytest
from network import Network, permitted

pytestmark = pytest.mark.skipif(not permitted(), reason="only root may make networks")


@pytest.fixture(scope="module")
def network() -> Iterator[Network]:
    """Make three hosts."""
    with Network(["a", "b", "c"]) as made:
        yield made


_ECHO = """
import socket
answering = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
answering.bind(("", 9))
print(flush=True)
while True:
    answering.sendto(*answering.recvfrom(99))
"""
_ASK = """
import socket, sys
asking = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
asking.settimeout(0.2)
answered = 0
for number in range(int(sys.argv[2])):
    asking.sendto(b"%d" % number, (sys.argv[1], 9))
    try:
        answered += asking.recv(9) == b"%d" % number
    except OSError:
        pass
print(answered)
"""


_LISTEN = """
import socket
listening = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
listening.bind(("", 10))
listening.settimeout(0.5)
print(flush=True)
try:
    print(len(listening.recv(9)))
except OSError:
    print(0)
"""
_SAY = """
import socket, sys
socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"here", (sys.argv[1], 10))
"""


def heard(network: Network, source: str, target: str) -> bool:
    """Tell whether a packet arrives."""
    listening = network.popen(target, [sys.executable, "-c", _LISTEN], stdout=subprocess.PIPE)
    assert listening.stdout is not None
    listening.stdout.readline()
    network.popen(source, [sys.executable, "-c", _SAY, network.address(target)]).wait()
    return int(listening.communicate()[0]) > 0


def pinged(network: Network, source: str, target: str, count: int = 3) -> int:
    """Return how many of some pings are answered."""
    answering = network.popen(target, [sys.executable, "-c", _ECHO], stdout=subprocess.PIPE)
    try:
        assert answering.stdout is not None
        answering.stdout.readline()
        command = [sys.executable, "-c", _ASK, network.address(target), str(count)]
        asking = network.popen(source, command, stdout=subprocess.PIPE)
        return int(asking.communicate()[0])
    finally:
        answering.kill()
        answering.communicate()


def test_hosts_reach_each_other(network: Network) -> None:
    """Each from its own address."""
    assert pinged(network, "a", "b") == 3


def test_a_host_that_is_cut_off(network: Network) -> None:
    """Nothing reaches it until it is connected again."""
    network.rules(cut=["b"])
    assert pinged(network, "a", "b") == 0
    network.rules()
    assert pinged(network, "c", "b") == 3


def test_a_host_that_is_cut_off_in_one_direction(network: Network) -> None:
    """A deaf one is not answered, though it is heard; a mute one does not answer."""
    for rules in ({"deaf": ["b"]}, {"mute": ["b"]}):
        network.rules(**rules)
        assert pinged(network, "a", "b") == pinged(network, "b", "a") == 0
    network.rules(deaf=["b"])
    assert heard(network, source="b", target="a") and not heard(network, source="a", target="b")
    network.rules(mute=["b"])
    assert heard(network, source="a", target="b") and not heard(network, source="b", target="a")
    network.rules()


def test_packets_are_lost(network: Network) -> None:
    """Some, not all."""
    network.rules(loss=0.3)
    assert 0 < pinged(network, "a", "b", 20) < 20
    network.rules()

"""UNIX sockets: whose they are, who may come in, and what is left of them."""

import os
import socket
import stat
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from pytest_twisted import ensureDeferred
from twisted.internet.utils import getProcessOutput

from anet.errors import AddressInUse
from hip import CredentialsRefused, Security
from tests.hip.security.conftest import until


@ensureDeferred
async def test_agents_of_one_user_meet_over_a_socket(net):
    """The file is its owner's alone; there is no certificate, so roles are not known."""
    path = net.folder / "hip"
    listener = net.master(Security(), f"unix:{path}")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert (listener.address, listener.port) == (f"unix:{path}", 0)
    link = net.slave(Security(), listener.address)
    assert await link.call("greet", name="you") == "hello you"
    assert link.peer.roles is None
    await net.agents[1].stopService()
    await net.agents[0].stopService()
    assert not path.exists()


@ensureDeferred
async def test_another_users_process_is_sent_away(net, monkeypatch):
    """The kernel says whose a process is; both ends ask."""
    path = net.folder / "hip"
    net.master(Security(), f"unix:{path}")
    monkeypatch.setattr(os, "geteuid", lambda: 54321)  # what the slave takes its own user for
    link = net.slave(Security(), f"unix:{path}")
    await until(lambda: "may not link over a UNIX socket here" in link.state)
    assert net.agents[0].slaves == {}


@ensureDeferred
async def test_users_that_are_named_come_in(net, monkeypatch):
    """With users named the file lets all connect, and the kernel's word decides."""
    path = net.folder / "hip"
    own = "root" if os.geteuid() == 0 else os.environ["USER"]
    monkeypatch.setattr(os, "geteuid", lambda: 54321)
    net.master(Security(users=(own,)), f"unix:{path}")
    assert stat.S_IMODE(path.stat().st_mode) == 0o666
    link = net.slave(Security(users=(own,)), f"unix:{path}")
    assert await link.call("greet", name="you") == "hello you"
    with pytest.raises(CredentialsRefused, match="no such user"):
        net.master(Security(users=("nobody-at-all",)), f"unix:{path}2")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root becomes another user")
@ensureDeferred
async def test_a_real_process_of_another_user(net):
    """Where users are named everybody may connect, and hears nothing unless named."""
    with TemporaryDirectory() as folder:  # that of the test is closed to others
        Path(folder).chmod(0o755)
        listener = net.master(Security(users=("daemon",)), f"unix:{folder}/hip")
        for user, hears in [("nobody", False), ("daemon", True)]:
            words = ("-c", _VISIT, user, listener.address.removeprefix("unix:"))
            visitor = await getProcessOutput(sys.executable, words, errortoo=True)
            assert visitor.strip() == (b"a greeting" if hears else b"nothing"), visitor
        await net.agents[0].stopService()


_VISIT = """
import os, pwd, socket, sys
os.setuid(pwd.getpwnam(sys.argv[1]).pw_uid)
with socket.socket(socket.AF_UNIX) as visitor:
    visitor.settimeout(10)
    visitor.connect(sys.argv[2])
    try:
        heard = visitor.recv(4)
    except ConnectionError:
        heard = b""
print("a greeting" if heard else "nothing")
"""


@ensureDeferred
async def test_a_socket_left_behind_is_removed_and_one_in_use_is_not(net):
    """A process that died leaves its file; who starts again takes its place."""
    path = net.folder / "hip"
    dead = socket.socket(socket.AF_UNIX)
    dead.bind(str(path))
    dead.close()
    link = net.slave(Security(), net.master(Security(), f"unix:{path}").address)
    assert await link.call("greet", name="you") == "hello you"
    with pytest.raises(AddressInUse, match="another process listens there"):
        net.master(Security(), f"unix:{path}")
    assert await link.call("greet", name="you") == "hello you"


def test_other_files_are_left_alone(net):
    """What is no socket is never removed, and a folder that is missing is said."""
    path = Path(net.folder / "file")
    path.write_text("precious")
    with pytest.raises(AddressInUse, match="no socket"):
        net.master(Security(), f"unix:{path}")
    assert path.read_text() == "precious"
    with pytest.raises(AddressInUse, match="does the folder exist"):
        net.master(Security(), f"unix:{net.folder}/nowhere/hip")


@ensureDeferred
async def test_redirected_over_sockets(net):
    """A master elsewhere cannot send a slave to a file of its machine."""
    away = net.master(Security(), f"unix:{net.folder}/away")
    home = net.master(Security())
    net.agents[1].on_join = lambda peer: peer.redirect(away.address)
    link = net.slave(Security(), home.address)
    await until(lambda: "not on this machine" in link.state or "nowhere" in link.state)
    assert net.agents[0].slaves == {}

"""Trying whether this machine, and its network, carry multicast."""

import os
from typing import Any

from twisted.logger import Logger

from anet.multicast.groups import Groups
from anet.multicast.listener import GroupListener
from anet.multicast.locator import MulticastLocator

_log = Logger()


async def probe(reactor: Any, groups: Groups, timeout: float = 0.5) -> bool:
    """Tell whether multicast works here: ask ourselves something that only we know."""
    secret = os.urandom(16)
    listener = GroupListener(
        reactor, groups, lambda _, key: ("probe", 0) if key == secret else None
    )
    locator = MulticastLocator(reactor, groups)
    try:
        locator.startService()
        await listener.join([secret[0]])
        return bool(await locator.find("probe", secret, timeout))
    except Exception as error:  # of the system, or one of Twisted's own for joining a group
        _log.info("multicast does not work here: {error}", error=error)
        return False
    finally:
        await listener.stopService()
        await locator.stopService()

"""Processes forked from a clean one, before any reactor runs (copy-on-write, *INA §1.5*).

Forking a process in the middle of its life is dangerous: threads, locks, sockets and a reactor
would all be there twice. So a *zygote* is forked first of all. It imports what its children will
need, runs no reactor and no thread, and forks a child whenever it is told to. Children share
its memory until they write to it, and each installs a reactor of its own.

    zygote = Zygote.begin(run_child, preload=["agents.crawler.service"], title="zygote")
    zygote.attach(reactor, on_exit, on_lost)
    pid = await zygote.fork({"name": "crawler-1"})      # calls run_child({"name": …}) there
    await zygote.close()                                # ends the children, then the zygote
"""

from anet.nursery.child import run_service
from anet.nursery.messages import NurseryError
from anet.nursery.zygote import Zygote

__all__ = ["NurseryError", "Zygote", "run_service"]

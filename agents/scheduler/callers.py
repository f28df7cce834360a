"""Who calls a method of the scheduler, and who decides by it."""

from agents.scheduler.database.decisions import SCHEDULER
from hip import CallRefused, Peer

WORDS = 2000  # characters of a reason
_NAME = 200  # of who decides


def only(peer: Peer, kind: str) -> None:
    """Refuse whoever is not of a kind of agent.

    Raises:
        CallRefused: "not-yours".
    """
    if peer.kind != kind:
        raise CallRefused("not-yours", f"this method is for a {kind}; you are a {peer.kind}")


def decider(who: str, peer: Peer) -> str:
    """Return who decides, or else the link's name: never the scheduler, which sticks to nothing."""
    name = (who or peer.name)[:_NAME]
    return f"{name} (by hand)" if name == SCHEDULER else name

"""Whether the archive may open its doors as it is configured. Pure."""

from agents.configuration import ConfigurationError
from agents.consultation.config import Asking
from anet.address import Address, is_loopback


def is_beyond(address: str) -> bool:
    """Tell whether others than this machine may reach a `host:port` that is listened at."""
    return not is_loopback(Address.parse(address).host)


def speaks_tls(said: bool | None, address: str) -> bool:
    """Tell whether a server speaks TLS: as the configuration says, or where others may reach it."""
    return is_beyond(address) if said is None else said


def check_opening(asking: Asking, address: str, readers: int, file: str) -> None:
    """Refuse doors that nobody could pass, so that nobody leaves them open without a word.

    Args:
        asking: who must show a credential.
        address: `host:port` of a server for readers.
        readers: how many have a credential.
        file: the configuration's, for the message.

    Raises:
        ConfigurationError: the message says what to do.
    """
    if asking == "none" or readers or not (asking == "always" or is_beyond(address)):
        return
    raise ConfigurationError(
        file,
        0,
        "consultation.credentials",
        f"readers at {address} must show a credential, and nobody has one: give one with "
        "`dlweb reader add NAME`, or say `none` where everyone on the network may read",
    )

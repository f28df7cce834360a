"""What a certificate says of its agent: its name and its roles, as SubjectAltName URIs.

    hip:name/crawler          the agent is `crawler`, or one of `crawler-1`, `crawler-2`, …
    hip:role/site-crawler     it may be a `site-crawler`, and call what only those may

Special characters are percent-encoded. A role is the kind of an agent that it may be, or a word
that methods ask for (`hip.exposed`). One certificate serves the agents that are forked on one
machine, whose names differ by the number at their end.
"""

import re
from collections.abc import Iterable
from urllib.parse import quote, unquote

from attrs import frozen
from cryptography import x509

from hip.errors import NotTrusted

CONSOLE = "console"  # the kind of a person's own link
OPERATOR = "operator"  # the role that such a person has

_NAME, _ROLE = "hip:name/", "hip:role/"
_NUMBER = re.compile(r"-[0-9]{1,10}")
ROLES_LIMIT = 100
_UNREADABLE = (  # of extensions that are missing or malformed
    x509.ExtensionNotFound,
    x509.DuplicateExtension,
    x509.UnsupportedGeneralNameType,
    ValueError,
)


@frozen
class Identity:
    """Who a certificate is for.

    Attributes:
        name: the agent's name, or what its name begins with, before a number.
        roles: what it may be and do.
    """

    name: str
    roles: frozenset[str]

    @property
    def uris(self) -> list[str]:
        """How a certificate says it."""
        roles = [_ROLE + quote(role, safe="") for role in sorted(self.roles)]
        return [_NAME + quote(self.name, safe=""), *roles]

    @classmethod
    def of_uris(cls, uris: Iterable[str]) -> "Identity":
        """Return what the URIs of a certificate say.

        Raises:
            NotTrusted: they name no agent, or more than one.
        """
        said = list(uris)
        names = [unquote(uri.removeprefix(_NAME)) for uri in said if uri.startswith(_NAME)]
        roles = [unquote(uri.removeprefix(_ROLE)) for uri in said if uri.startswith(_ROLE)]
        if len(names) != 1 or not names[0] or len(roles) > ROLES_LIMIT:
            raise NotTrusted("its certificate does not name one agent; make it with `hip certs`")
        return cls(names[0], frozenset(roles))

    @classmethod
    def of(cls, certificate: x509.Certificate) -> "Identity":
        """Return who a certificate is for.

        Raises:
            NotTrusted: it names no agent.
        """
        try:
            names = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName)
        except _UNREADABLE:
            return cls.of_uris([])
        return cls.of_uris(names.value.get_values_for_type(x509.UniformResourceIdentifier))

    def permit(self, kind: str, name: str) -> None:
        """Compare with what an agent says of itself.

        Raises:
            NotTrusted: the certificate is for another agent, or another kind of agent.
        """
        if not self.covers(name):
            raise NotTrusted(f"the certificate is for {self.name}, not for {name}")
        needed = OPERATOR if kind == CONSOLE else kind
        if needed not in self.roles:
            has = ", ".join(sorted(self.roles)) or "none"
            raise NotTrusted(
                f"the certificate of {self.name} does not allow a {kind}: it lacks the role "
                f"{needed} (it has: {has})"
            )

    def covers(self, name: str) -> bool:
        """Tell whether an agent of that name may use the certificate."""
        beyond = name.removeprefix(self.name)
        return name == self.name or (
            name.startswith(self.name) and _NUMBER.fullmatch(beyond) is not None
        )

"""What a certificate says of its agent, as rules without a network."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hip import NotTrusted
from hip.security import Identity

names = st.text(min_size=1, max_size=60)


@given(names, st.frozensets(names, max_size=8))
def test_names_and_roles_survive_their_uris(name, roles):
    """Any text is carried by the URIs of a certificate, which are plain ASCII."""
    identity = Identity(name, roles)
    assert Identity.of_uris(identity.uris) == identity
    assert all(uri.isascii() and uri.isprintable() for uri in identity.uris)


@given(st.lists(st.text() | names.map("hip:name/".__add__)))
def test_any_uris_are_an_identity_or_an_error(uris):
    """No list of URIs raises anything but the documented error."""
    try:
        assert Identity.of_uris(uris).name
    except NotTrusted as error:
        assert "hip certs" in str(error)


def test_a_certificate_names_one_agent():
    """None, an empty one, or two names are refused; so are roles without end."""
    many = [f"hip:role/{number}" for number in range(200)]
    for uris in ([], ["hip:name/"], ["hip:name/a", "hip:name/b"], ["hip:name/a", *many]):
        with pytest.raises(NotTrusted, match="does not name one agent"):
            Identity.of_uris(uris)


@given(names, st.integers(0, 10**9), names)
def test_a_name_covers_its_numbers_and_nothing_else(name, number, other):
    """A certificate is good for its name, and for that name with a number at its end."""
    identity = Identity(name, frozenset())
    assert identity.covers(name)
    assert identity.covers(f"{name}-{number}")
    assert not identity.covers(f"{name}{other}") or other[0] == "-"
    assert not identity.covers(f"x{name}")


def test_kinds_are_roles():
    """An agent may be of a kind that its certificate has as a role; a console is an operator's."""
    identity = Identity("crawler", frozenset({"site-crawler"}))
    identity.permit("site-crawler", "crawler-7")
    with pytest.raises(NotTrusted, match=r"lacks the role scheduler \(it has: site-crawler\)"):
        identity.permit("scheduler", "crawler")
    with pytest.raises(NotTrusted, match="is for crawler, not for scheduler"):
        identity.permit("site-crawler", "scheduler")
    with pytest.raises(NotTrusted, match="lacks the role operator"):
        identity.permit("console", "crawler-1")
    Identity("alice", frozenset({"operator"})).permit("console", "alice-4242")

"""Names under `dlweb` lead to pages, and change nothing."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest_twisted import ensureDeferred

from agents.consultation.errors import Faulted
from agents.consultation.harbor.answers import PAGES as ROUTES
from agents.consultation.harbor.names import PAGES, named, path_of
from anet.http import Headers, Request


async def ask(harbor, target):
    """Return status and Location of an answer."""
    answer = await named(harbor.router("/"))(Request("GET", target, Headers(), "127.0.0.7"))
    return answer.status, dict(answer.headers).get(b"Location", b"").decode()


def test_every_name_leads_to_a_page():
    """No name leads nowhere."""
    assert set(PAGES.values()) <= set(ROUTES)


@pytest.mark.parametrize(
    ("target", "location"),
    [
        ("http://calendar.dlweb/?url=http%3A%2F%2Fa%2F", "/calendar?url=http%3A%2F%2Fa%2F"),
        ("http://search.dlweb/", "/urls"),
        ("http://page.dlweb/", "/page"),
        ("http://20100101.dlweb/", "/?date=20100101"),
        ("http://2010.dlweb/?date=2011", "/?date=2010"),
        ("https://dlweb/captures?url=x", "/captures?url=x"),
        ("https://page.dlweb/", "/page"),
    ],
)
@ensureDeferred
async def test_a_name_leads_to_its_page(harbor_of, target, location):
    """The page is that of the one origin, with what was asked of it."""
    assert await ask(harbor_of(), target) == (302, f"http://dlweb{location}")


@ensureDeferred
async def test_the_harbor_itself_answers(harbor_of):
    """What is asked of http://dlweb/ is answered there."""
    assert (await ask(harbor_of(), "http://dlweb/settings"))[0] == 200


@ensureDeferred
async def test_a_name_that_is_no_harbors_is_a_fault(harbor_of):
    """A reader who mistypes a name is told which there are."""
    with pytest.raises(Faulted) as raised:
        await ask(harbor_of(), "http://calender.dlweb/")
    assert raised.value.fault.status == 404 and "calendar.dlweb" in raised.value.fault.message


@ensureDeferred
async def test_a_door_to_a_date_only_proposes_it(harbor_of):
    """A link cannot change what a reader reads: the date stands in the form, with a button."""
    harbor = harbor_of()
    answer = await harbor.router("/")(
        Request("GET", "http://dlweb/?date=20100101", Headers(), "127.0.0.7")
    )
    assert b'value="20100101"' in answer.body
    assert harbor.readers.choice_of("127.0.0.7").date == ""


@given(st.text(max_size=40))
def test_other_names_are_no_harbors(name):
    """Whatever the name, it leads to a page of the harbor or nowhere."""
    path = path_of(f"{name}.dlweb")
    assert path is None or path.startswith("/")
    assert path_of(f"{name}.example") is None

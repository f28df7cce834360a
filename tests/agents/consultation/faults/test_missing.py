"""The log of holes is bounded, and counts each URL once."""

from agents.consultation.faults.fault import unknown_url
from agents.consultation.faults.missing import TEXT_LIMIT, Missing

DATE = "20261121073000000000"


def test_a_url_asked_again_is_counted():
    """The same hole is one entry with its count, and becomes the newest."""
    missing = Missing(10)
    for url in ("http://a/", "http://b/", "http://a/"):
        missing.note(unknown_url(url), "http://page/", DATE)
    assert [(hole.url, hole.times) for hole in missing.newest(10)] == [
        ("http://a/", 2),
        ("http://b/", 1),
    ]


def test_the_page_that_links_there_is_kept():
    """A later request that does not say its page does not wipe it."""
    missing = Missing(10)
    missing.note(unknown_url("http://a/"), "http://page/", DATE)
    missing.note(unknown_url("http://a/"), "", DATE)
    assert missing.newest(1)[0].page == "http://page/"


def test_the_log_is_bounded():
    """The oldest holes leave, and long URLs are cut."""
    missing = Missing(3)
    for number in range(10):
        missing.note(unknown_url(f"http://a/{number}/" + "x" * 5000), "y" * 5000, DATE)
    holes = missing.newest(100)
    assert len(missing) == len(holes) == 3
    assert all(len(hole.url) == len(hole.page) == TEXT_LIMIT for hole in holes)

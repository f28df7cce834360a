"""What site a URL belongs to that no known site has."""

import re
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from agents.delimitation import Delimitation
from agents.scheduler.expansion.borders import decide
from agents.scheduler.expansion.claims import Claim
from agents.scheduler.expansion.guessing import RULES, guess_site
from agents.urls import canonical

# URL, start URL, kind
TABLE = [
    ("http://www.lemonde.fr/", "http://www.lemonde.fr/", "site"),
    ("https://www.lemonde.fr/a/2005/10/03/x_1.html?y=1#z", "https://www.lemonde.fr/", "site"),
    ("http://lemonde.fr/index.html", "http://lemonde.fr/", "site"),
    ("HTTP://User:Word@WWW.Example.ORG:80/a/../b", "http://www.example.org/", "site"),
    ("http://sport.lemonde.fr/foot/", "http://sport.lemonde.fr/", "site"),
    ("http://www.bbc.co.uk/news/1", "http://www.bbc.co.uk/", "site"),
    ("http://bbc.co.uk/", "http://bbc.co.uk/", "site"),
    ("http://co.uk/", "http://co.uk/", "site"),
    ("http://www.co.uk/", "http://www.co.uk/", "site"),
    ("http://www.fr/x", "http://www.fr/", "site"),
    ("http://www.gouv.fr/", "http://www.gouv.fr/", "site"),
    ("http://école.fr/été", "http://xn--cole-9oa.fr/", "site"),
    ("http://localhost/x", "http://localhost/", "site"),
    ("http://localhost:8080/~me/", "http://localhost:8080/~me/", "personal pages"),
    ("http://127.0.0.1:8099/a/b", "http://127.0.0.1:8099/", "site"),
    ("http://192.0.2.7/forum/", "http://192.0.2.7/forum/", "forum"),
    ("http://[2001:db8::1]:81/x", "http://[2001:db8::1]:81/", "site"),
    ("https://example.org:443/x", "https://example.org/", "site"),
    ("https://example.org:8443/x", "https://example.org:8443/", "site"),
    ("http://www.univ-x.fr/~dupont/index.html", "http://www.univ-x.fr/~dupont/", "personal pages"),
    ("http://www.univ-x.fr/~dupont", "http://www.univ-x.fr/~dupont/", "personal pages"),
    ("http://www.univ-x.fr/%7Edupont/cv", "http://www.univ-x.fr/~dupont/", "personal pages"),
    ("http://www.univ-x.fr/%7edupont/cv", "http://www.univ-x.fr/~dupont/", "personal pages"),
    ("http://www.univ-x.fr/~dupont?print=1", "http://www.univ-x.fr/~dupont/", "personal pages"),
    ("http://www.univ-x.fr/~/", "http://www.univ-x.fr/", "site"),
    ("http://www.univ-x.fr/labo/~dupont/", "http://www.univ-x.fr/", "site"),
    (
        "http://cs.example.edu/users/jane/x.html",
        "http://cs.example.edu/users/jane/",
        "personal pages",
    ),
    ("http://cs.example.edu/users/jane/", "http://cs.example.edu/users/jane/", "personal pages"),
    ("http://cs.example.edu/users/jane", "http://cs.example.edu/", "site"),
    ("http://shop.example.com/users/123/edit", "http://shop.example.com/", "site"),
    ("http://shop.example.com/users/login.php", "http://shop.example.com/", "site"),
    ("http://www.example.com/home/bob/", "http://www.example.com/home/bob/", "personal pages"),
    ("http://www.example.com/home/", "http://www.example.com/", "site"),
    (
        "http://lycee.example.fr/perso/jean/x",
        "http://lycee.example.fr/perso/jean/",
        "personal pages",
    ),
    (
        "http://perso.wanadoo.fr/jean.petit/a.htm",
        "http://perso.wanadoo.fr/jean.petit/",
        "personal pages",
    ),
    ("http://perso.wanadoo.fr/", "http://perso.wanadoo.fr/", "site"),
    ("http://perso.wanadoo.fr/index.html", "http://perso.wanadoo.fr/", "site"),
    ("http://members.aol.com/bob/x.html", "http://members.aol.com/bob/", "personal pages"),
    ("http://jean.free.fr/a/b.htm", "http://jean.free.fr/", "personal pages"),
    ("http://free.fr/", "http://free.fr/", "site"),
    ("http://www.geocities.com/bob/x.html", "http://www.geocities.com/bob/", "personal pages"),
    (
        "http://www.geocities.com/Area51/1234/x",
        "http://www.geocities.com/Area51/1234/",
        "personal pages",
    ),
    (
        "http://www.geocities.com/Area51/Zone/1234/x.html",
        "http://www.geocities.com/Area51/Zone/1234/",
        "personal pages",
    ),
    ("https://bob.github.io/project/", "https://bob.github.io/", "site"),
    ("http://bob.blogspot.com/2005/10/x.html", "http://bob.blogspot.com/", "blog"),
    ("http://www.blogspot.com/", "http://www.blogspot.com/", "site"),
    ("https://jeanne.wordpress.com/2010/01/02/x/", "https://jeanne.wordpress.com/", "blog"),
    ("https://wordpress.com/themes", "https://wordpress.com/", "site"),
    ("http://jeanne.over-blog.com/article-1.html", "http://jeanne.over-blog.com/", "blog"),
    ("http://politique.blogs.liberation.fr/x/", "http://politique.blogs.liberation.fr/", "blog"),
    ("http://amy.tumblr.com/post/1", "http://amy.tumblr.com/", "blog"),
    ("https://medium.com/@amy/title-1?source=x", "https://medium.com/@amy", "blog"),
    ("https://medium.com/about", "https://medium.com/", "site"),
    ("https://blogs.mediapart.fr/amy/blog/1", "https://blogs.mediapart.fr/amy/", "blog"),
    ("https://blogs.mediapart.fr/tag/x", "https://blogs.mediapart.fr/", "site"),
    ("http://www.livejournal.com/users/amy/", "http://www.livejournal.com/users/amy/", "blog"),
    ("http://amy.livejournal.com/1.html", "http://amy.livejournal.com/", "blog"),
    ("http://www.example.org/forum/viewtopic.php?t=1", "http://www.example.org/forum/", "forum"),
    ("http://www.example.org/forum", "http://www.example.org/forum/", "forum"),
    ("http://www.example.org/forums/showthread.php?t=1", "http://www.example.org/forums/", "forum"),
    ("http://www.example.org/phpBB2/index.php", "http://www.example.org/phpBB2/", "forum"),
    ("http://www.example.org/forum-2004/", "http://www.example.org/", "site"),
    ("http://www.example.org/forum.php", "http://www.example.org/", "site"),
    ("http://forum.example.org/viewtopic.php?t=5", "http://forum.example.org/", "site"),
    ("http://tricot.forumactif.com/t1-x", "http://tricot.forumactif.com/", "forum"),
    (
        "https://www.reddit.com/r/archives/comments/1/x/",
        "https://www.reddit.com/r/archives/",
        "forum",
    ),
    ("https://groups.google.com/g/comp.web/c/1", "https://groups.google.com/g/comp.web", "forum"),
    (
        "https://sites.google.com/site/bobsite/home",
        "https://sites.google.com/site/bobsite",
        "pages",
    ),
    ("https://sites.google.com/a/x.org/wiki/p", "https://sites.google.com/a/x.org/wiki", "pages"),
    ("https://github.com/twisted/twisted/issues/1", "https://github.com/twisted", "code"),
    ("https://github.com/login?return_to=x", "https://github.com/", "site"),
    ("https://sourceforge.net/projects/x/files/", "https://sourceforge.net/projects/x/", "code"),
    ("https://www.youtube.com/@ina/videos", "https://www.youtube.com/@ina", "media"),
    ("https://www.youtube.com/watch?v=1", "https://www.youtube.com/", "site"),
    ("https://twitter.com/ina_fr/status/1", "https://twitter.com/ina_fr", "social"),
    ("https://twitter.com/share?url=x", "https://twitter.com/", "site"),
    ("https://www.facebook.com/pages/x/1", "https://www.facebook.com/pages/x/1", "social"),
]


@pytest.mark.parametrize(("url", "start", "kind"), TABLE)
def test_guesses(url: str, start: str, kind: str) -> None:
    """Each URL leads to the site that a person would take it for, and the page is told why."""
    guess = guess_site(url)
    assert (guess.start_url, guess.kind) == (start, kind)
    assert guess.reasons
    assert all(reason.strip() and len(reason) < 300 for reason in guess.reasons)


@pytest.mark.parametrize(
    ("url", "inside", "outside"),
    [
        ("http://www.a.org/x", ["https://a.org/y", "http://a.org:81/"], ["http://b.a.org/"]),
        ("http://a.org/", ["http://a.org/forum/"], ["http://a.org/~bob/", "http://a.org/%7Ebob/"]),
        (
            "http://a.org/~bob/x",
            ["http://www.a.org/%7Ebob", "http://a.org/~bob?x"],
            ["http://a.org/~bobby/"],
        ),
        ("http://a.org:81/", ["http://a.org:81/x"], ["http://a.org/", "http://a.org:82/"]),
        ("http://www.co.uk/", ["http://www.co.uk/x"], ["http://co.uk/"]),
        ("http://127.0.0.1/", ["http://127.0.0.1/x"], ["http://www.127.0.0.1.org/"]),
        ("https://medium.com/@amy/x", ["https://medium.com/@amy/y"], ["https://medium.com/@amyx"]),
        ("https://medium.com/about", ["https://medium.com/x"], ["https://medium.com/@amy"]),
        ("https://github.com/", ["https://github.com/?x"], ["https://github.com/twisted"]),
        (
            "http://a.org/forum/",
            ["http://a.org/forum?x", "http://a.org/forum/x"],
            ["http://a.org/forums/"],
        ),
    ],
)
def test_bounds(url: str, inside: list[str], outside: list[str]) -> None:
    """The bounds take in the site however its URLs are written, and leave out its neighbours."""
    guess = guess_site(url)
    bounds = Delimitation.parse(guess.accept, guess.reject)
    assert all(map(bounds.internal, inside))
    assert not any(map(bounds.internal, outside))


def test_reasons_name_what_was_seen() -> None:
    """Reasons tell the rule, the suffix, the port and the twin."""
    told = " ".join(guess_site("http://www.bob.blogspot.com:81/x").reasons)
    assert "blogspot.com is a public suffix" in told
    assert "a platform of blogs" in told
    assert "the port 81" in told
    assert "bob.blogspot.com and www.bob.blogspot.com" in told
    assert "the site is the folder /~bob" in guess_site("http://a.org/~bob/").reasons[0]


@pytest.mark.parametrize(
    "url",
    [
        "",
        "x",
        "mailto:a@b.org",
        "ftp://a.org/",
        "http:///",
        f"http://{'a.' * 200}org/",
        "http://.a.org/",
    ],
)
def test_what_is_no_url_is_refused(url: str) -> None:
    """Only http and https URLs of hosts that DNS can name are a page of a site."""
    with pytest.raises(ValueError, match="is not an http or https URL"):
        guess_site(url)


SEGMENTS = st.sampled_from(
    [
        "",
        "~bob",
        "%7Ebob",
        "@amy",
        "users",
        "home",
        "perso",
        "forum",
        "phpBB2",
        "site",
        "r",
        "12",
        "x.html",
    ]
    + ["a", "index.php", "login", "view", "(x)", "$", "*", "a%20b", "..", "groups", "pages"]
) | st.text(st.characters(codec="utf-8", exclude_characters="#"), max_size=5)
PLACES = st.sampled_from(
    [
        "a.org",
        "www.a.org",
        "b.a.org",
        "co.uk",
        "www.co.uk",
        "www.fr",
        "medium.com",
        "github.com",
        "bob.github.io",
    ]
    + [
        "perso.wanadoo.fr",
        "www.geocities.com",
        "sites.google.com",
        "reddit.com",
        "x.free.fr",
        "127.0.0.1",
    ]
    + [
        "a.org:81",
        "[::1]",
        "localhost",
        "www.localhost",
        "blogspot.com",
        "www.blogspot.com",
        "twitter.com",
    ]
    + ["www.www.a.org", "com", "www.com", "b.tumblr.com", "xn--cole-9oa.fr", "a.org.", "a$b.org"]
)
URLS = st.builds(
    lambda scheme, host, segments, query: (
        canonical(f"{scheme}://{host}/{'/'.join(segments)}{query}") or ""
    ),
    st.sampled_from(["http", "https"]),
    PLACES,
    st.lists(SEGMENTS, max_size=5),
    st.sampled_from(["", "?", "?x=1"]),
).filter(bool)


@given(URLS)
def test_the_start_is_a_site_of_its_own(url: str) -> None:
    """A guessed site takes its start URL, and is guessed again from it."""
    guess = guess_site(url)
    assert canonical(guess.start_url) == guess.start_url
    assert Delimitation.parse(guess.accept, guess.reject).internal(guess.start_url)
    again = guess_site(guess.start_url)
    assert (again.start_url, again.accept, again.reject, again.kind) == (
        guess.start_url,
        guess.accept,
        guess.reject,
        guess.kind,
    )


@given(st.lists(URLS, min_size=2, max_size=6))
def test_guessed_sites_stand_beside_one_another(urls: list[str]) -> None:
    """Sites guessed from URLs that no site has can be registered beside those before."""
    known: list[Claim] = []
    for url in urls:
        if any(claim.has(url) for claim in known):
            continue
        guess = guess_site(url)
        if any(claim.has(guess.start_url) for claim in known):
            continue  # a page of a platform that is no site, or a site that was guessed already
        claim = Claim.read(len(known) + 1, guess.start_url, guess.accept, guess.reject)
        decision = decide(claim, known)
        assert decision.allowed, decision.reasons
        known.append(claim)


def test_the_rules_are_sound() -> None:
    """Each rule has what it needs, in one line, and each host and template once."""
    seen: set[tuple[str, str]] = set()
    for rule in yaml.safe_load(Path(RULES).read_text("utf-8")):
        assert set(rule) <= {"hosts", "sites", "kind", "why", "own", "slash", "loose"}, rule
        assert rule["kind"] and rule["why"].strip() and len(rule["why"]) < 100
        for host in rule["hosts"]:
            assert host == "*" or re.fullmatch(r"\.?[a-z0-9.\-]+", host), host
            assert not host.startswith("www.")
            for template in rule["sites"]:
                assert template == "" or template.startswith("/"), template
                assert (host, template) not in seen, (host, template)
                seen.add((host, template))

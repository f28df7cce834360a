"""From two sites, the expansion finds the sites of a topic on a web of real documentation."""

from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import pytest
from conftest import Archive
from finding import Finding, configuration
from many_sites import SITES, STARTS, TOPIC, Web, site_of

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def finding(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Finding]:
    """An archive that began with two sites, once nothing is left to be judged."""
    web = Web(tmp_path_factory.mktemp("web"))
    archive = None
    try:
        archive = Archive(tmp_path_factory.mktemp("archive"), configuration(web))
        archive.wait_until_whole()
        finding = Finding(archive, web)
        finding.search()
        yield finding
    finally:
        if archive is not None:
            archive.stop()
        web.stop()


def test_the_topics_sites_become_members(finding: Finding) -> None:
    """Precision and recall are both 0.9 at least, over all sites of the web that can be found."""
    for name, line in finding.named().items():
        sentences = "; ".join(finding.details(name)["judgement"])
        print(f"{name:20} {line['standing']:12} {line['relevance']:.2f} {sentences}")
    scores = finding.scores()
    print(f"precision {scores.precision:.2f}, recall {scores.recall:.2f}")
    assert set(STARTS) <= TOPIC - set(scores.missed)
    assert scores.precision >= 0.9 and scores.recall >= 0.9, scores


def test_the_others_are_blacklisted_and_the_reason_is_told(finding: Finding) -> None:
    """Each site that was found and is none of the topic's fails by what it lacks."""
    rules = {"topic": "keywords occur", "language": "of the text is in en", "format": "text/html"}
    lacking = {site.name: rules[site.without] for site in SITES if not site.topic}
    named, wrong = finding.named(), finding.scores().wrong
    for name in lacking.keys() & named.keys() - set(wrong):
        details = finding.details(name)
        assert details["line"]["standing"] == "blacklisted", name
        failed = [words for words in details["judgement"] if words.startswith("  fails")]
        assert any(lacking[name] in words for words in failed), (name, details["judgement"])
        decided = [each for each in details["story"] if each["what"] == "failed"]
        assert decided[0]["why"], name


def test_the_archive_has_members_only(finding: Finding) -> None:
    """What was collected to judge a site that failed is not deposited."""
    members = TOPIC | set(finding.scores().wrong)
    kept = {_site(capture["url"]) for capture in finding.archive.check_alive()}
    assert kept & {site.name for site in SITES} == members


def test_sites_that_do_not_answer_are_let_go(finding: Finding) -> None:
    """Documentation names hosts that this web does not have: they are tried, and given up."""
    names = {finding.web.url(site.name) for site in SITES}
    others = [line for line in finding.lines() if line["start_url"] not in names]
    print(f"{len(others)} sites lead nowhere")
    assert others and all(line["standing"] == "blacklisted" for line in others)


def test_personal_pages_are_sites_of_their_own(finding: Finding) -> None:
    """One folder of a host is a member, and another is none; how that was guessed is told."""
    own, others = finding.details("people.test/~aio"), finding.details("people.test/~eve")
    standings = (own["line"]["standing"], others["line"]["standing"])
    assert standings == ("member", "blacklisted")
    assert any("/~aio" in words for words in own["guess"])


def test_the_graph_has_dates(finding: Finding) -> None:
    """Each link between sites tells since when it is there, and when it was last seen."""
    to = finding.details("postgresql.test")["from_sites"]["sites"]
    assert {"psycopg.test", "planet.test"} <= {_host(each["site"]) for each in to}
    for each in to:
        assert len(each["first"]) == len(each["last"]) == 20
        assert each["first"] <= each["last"] and each["documents"] >= 1


def test_ranks_put_what_lists_the_topic_before_what_lists_anything(finding: Finding) -> None:
    """The planet, which lists the topic's sites, is the best hub; spam has no rank at all."""
    ranked = finding.wait(lambda: _ranked(finding), "ranks")
    for name in sorted(ranked, key=lambda each: -ranked[each]["hub"]):
        line = ranked[name]
        print(f"{name:20} hub {line['hub']:.2f}, authority {line['authority']:.2f}")
    best = max(ranked, key=lambda name: ranked[name]["hub"])
    assert best == "planet.test"
    assert ranked["casino.test"]["hub"] == 0
    authorities = sorted(ranked, key=lambda name: -ranked[name]["authority"])
    assert authorities[0] == "postgresql.test"
    assert set(authorities[:4]) <= TOPIC


def test_what_an_archivist_decides_sticks(finding: Finding) -> None:
    """A blacklisted site that is ordered is collected though filters fail, and stays a member.

    Nothing is collected of the other blacklisted sites any more.
    """
    name, others = "git.test", {site.name for site in SITES} - TOPIC - {"git.test", "exim.test"}
    site = finding.details(name)["line"]["site"]
    assert not _fetched(finding, name)
    finding.ask("decide", site=site, decision="pardon", who="ada", why="it is a store")
    finding.ask("order", urls=[finding.web.url(name)], private_networks=True)
    finding.wait(lambda: _fetched(finding, name) and finding.quiet(), "what was ordered")
    details = finding.details(name)
    told = {(each["who"], each["what"], each["why"]) for each in details["story"]}
    assert ("ada", "pardoned", "it is a store") in told
    assert details["line"]["standing"] == "member" and not details["passed"]
    assert not any(_fetched(finding, each) for each in others)


def test_new_rules_judge_what_is_pardoned(finding: Finding) -> None:
    """The page's rule against mail keeps out the site that had passed without it."""
    archive = finding.archive
    archive.stop()
    archive.configure(configuration(finding.web, refined=True))
    archive.start()
    archive.wait_until_whole()
    site = finding.details("exim.test")["line"]["site"]
    for decision in ("ban", "pardon"):
        finding.ask("decide", site=site, decision=decision)
    finding.wait(finding.quiet, "the site to be judged")
    details = finding.details("exim.test")
    assert details["line"]["standing"] == "blacklisted", details
    assert any("none wanted" in words for words in details["judgement"])
    assert finding.scores().wrong == ["git.test"]  # which a person wants


def _fetched(finding: Finding, name: str) -> list[str]:
    """Return what was fetched of a site since all sites had been judged."""
    rows = finding.web.requests()
    return [path for when, site, path in rows if site == name and when > finding.ended]


def _ranked(finding: Finding) -> dict[str, dict[str, Any]]:
    """Return all sites, once they have ranks."""
    named = finding.named()
    return named if any(line["hub"] for line in named.values()) else {}


def _site(url: str) -> str:
    """Return the name of the site that a URL belongs to."""
    parts = urlsplit(url)
    return site_of(parts.hostname or "", parts.path)


def _host(site: str) -> str:
    return site.partition("_")[0]

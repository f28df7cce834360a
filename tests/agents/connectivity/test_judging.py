"""What becomes of a crawl by the policy that came with its deposit."""

from agents.connectivity.judging import is_kept, leads_on
from agents.deposit import Findings
from agents.judgement import Judgement, Policy

PASSED = Findings(judgement=Judgement(True, 0.7))
FAILED = Findings(judgement=Judgement(False, 0.0))


def test_what_fails_leads_nowhere() -> None:
    """And it is kept where that is wanted."""
    assert leads_on(PASSED, Policy()) and is_kept(PASSED, Policy(keep_failed=False))
    assert not leads_on(FAILED, Policy()) and is_kept(FAILED, Policy())
    assert not is_kept(FAILED, Policy(keep_failed=False))
    assert not leads_on(PASSED, Policy(links=False))
    assert not leads_on(PASSED, None) and is_kept(FAILED, None)
    assert not leads_on(Findings(), Policy(trusted=True))


def test_what_a_person_wants_leads_on_though_it_fails() -> None:
    """And it is kept, whatever holds for others."""
    trusted = Policy(keep_failed=False, trusted=True)
    assert leads_on(FAILED, trusted) and is_kept(FAILED, trusted)

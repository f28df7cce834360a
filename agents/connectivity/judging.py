"""What becomes of a crawl by the policy that came with its deposit: pure (*INA §1.5.1*)."""

from attrs import evolve

from agents.connectivity.report import Report
from agents.deposit import Findings
from agents.judgement import Judgement, Policy


def judged(report: Report, policy: Policy | None) -> Findings:
    """Return what a report tells, with a judgement of the site.

    A site is not judged without a policy, nor by a report that is damaged: it might fail for what
    could not be read.
    """
    if policy is None or report.problem:
        return report.findings
    verdict = policy.filters.judge(report.summary)
    judgement = Judgement(verdict.passes, verdict.relevance, verdict.sentences)
    return evolve(report.findings, judgement=judgement)


def is_kept(findings: Findings, policy: Policy | None) -> bool:
    """Tell whether the captures are to be deposited."""
    keeps = policy is None or policy.keep_failed or policy.trusted
    return keeps or findings.judgement is None or findings.judgement.passes


def leads_on(findings: Findings, policy: Policy | None) -> bool:
    """Tell whether the scheduler wants to know where the site leads."""
    if policy is None or not policy.links or findings.judgement is None:
        return False
    return policy.trusted or findings.judgement.passes

"""Campaigns: sites that are collected more often for some time."""

from agents.page import Cell, Field, Form, Section, Table, human_seconds
from agents.portion import CampaignStatus
from agents.scheduler.pages.cells import badge, depth, moment

_STORY = (Field("why", "Why", hint="for the story"), Field("who", "Your name", hint="operator"))
_COLUMNS = ["campaign", "state", "begins", "ends", "every", "depth", "priority", "sites", "such as"]


def sections_of(campaigns: list[CampaignStatus], token: dict[str, str]) -> list[Section]:
    """Return the page's sections; `token` goes with forms to show where they come from."""
    rows = [_row(campaign) for campaign in campaigns]
    choices = [(each.name, each.name) for each in campaigns]
    forms = [_put(token)]
    if choices:
        forms += [_join(choices, token), _end(choices, token)]
    return [Table("Campaigns", _COLUMNS, rows, "There is none yet."), *forms]


def _row(campaign: CampaignStatus) -> list[Cell]:
    shown = ", ".join(campaign.sites)
    return [
        campaign.name,
        badge(campaign.state),
        moment(campaign.begins),
        moment(campaign.ends),
        human_seconds(campaign.interval),
        depth(campaign.maximum_depth),
        campaign.priority,
        campaign.number,
        shown + (" …" if campaign.number > len(campaign.sites) else ""),
    ]


def _put(token: dict[str, str]) -> Form:
    return Form(
        "Add a campaign, or change one",
        "/campaigns/put",
        "Keep it",
        [
            Field("name", "Name", required=True, hint="Elections 2027"),
            Field("begins", "Begins", required=True, hint="2027-04-01"),
            Field("ends", "Ends", required=True, hint="2027-05-15"),
            Field("hours", "Hours between two crawls", "24", required=True),
            Field("maximum_depth", "Depth", hint="as deep as the site goes"),
            Field("priority", "Priority", "10", required=True),
            *_STORY,
        ],
        token,
        half=True,
    )


def _join(choices: list[tuple[str, str]], token: dict[str, str]) -> Form:
    which = [("join_campaign", "take part from now on"), ("leave_campaign", "take part no more")]
    return Form(
        "Who takes part",
        "/campaigns/sites",
        "Do so",
        [
            Field("campaign", "Campaign", choices=choices),
            Field("decision", "These sites", choices=which),
            Field("sites", "Names", required=True, hint="a.example b.example"),
            *_STORY,
        ],
        token,
        half=True,
    )


def _end(choices: list[tuple[str, str]], token: dict[str, str]) -> Form:
    fields = [Field("campaign", "Campaign", choices=choices), *_STORY]
    return Form("End a campaign", "/campaigns/end", "End it now", fields, token, half=True)

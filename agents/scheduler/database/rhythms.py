"""When sites fall due by themselves, campaigns, and what is remembered for all (*INA §1.5.2*)."""

from collections.abc import Sequence

from agents.scheduler.database.decisions import SCHEDULER, Decisions
from agents.scheduler.database.rows import CampaignRow, Following
from agents.scheduler.life import SITE_AT_WORK, NoSuchTransition, SiteState

ALL = ""  # in place of a site's name, in the story of what concerns no single one
RUNNING, ENDED = "running", "ended"  # states of campaigns


class Rhythms(Decisions):
    """Each method is one transaction, durable when it returns."""

    def replan(self, sites: Sequence[str], following: Following, date: str) -> None:
        """Work out anew when sites fall due; one at work is planned when that ends.

        Raises:
            NoSuchTransition: there is no such site.
        """
        with self._transaction():
            for site in sites:
                if SiteState(self._site(site)["state"]) not in SITE_AT_WORK:
                    self._follow(site, following, date)

    def remember(self, name: str, value: float) -> None:
        """Keep what was worked out for all sites together."""
        with self._transaction():
            self._engine.execute(
                "INSERT INTO memory (name, value) VALUES (?, ?)"
                " ON CONFLICT (name) DO UPDATE SET value = excluded.value",
                [name, value],
            )

    def put_campaign(
        self, kept: CampaignRow, date: str, who: str = SCHEDULER, why: str = ""
    ) -> None:
        """Add a campaign, or change it, and write that down; one that had ended goes on."""
        with self._transaction():
            before = self._campaign(kept.campaign)
            self._decided(ALL, kept.campaign, date, who, before, kept.settings, why)
            self._engine.execute(
                "INSERT INTO campaigns (campaign, settings, begins, ends, state)"
                " VALUES (?, ?, ?, ?, ?) ON CONFLICT (campaign) DO UPDATE SET"
                " settings = excluded.settings, begins = excluded.begins, ends = excluded.ends,"
                " state = excluded.state",
                [kept.campaign, kept.settings, kept.begins, kept.ends, RUNNING],
            )

    def end_campaign(self, campaign: str, date: str, who: str = SCHEDULER, why: str = "") -> None:
        """End a campaign, and write that down; what sites take part in it is kept.

        Raises:
            NoSuchTransition: there is no such campaign.
        """
        with self._transaction():
            before = self._of_campaign(campaign)
            self._decided(ALL, campaign, date, who, before, ENDED, why)
            self._engine.execute(
                "UPDATE campaigns SET state = ? WHERE campaign = ?", [ENDED, campaign]
            )

    def join_campaign(
        self, campaign: str, sites: Sequence[str], date: str, who: str, why: str
    ) -> None:
        """Have sites take part in a campaign, and write that down.

        Raises:
            NoSuchTransition: there is no such campaign, or site.
        """
        with self._transaction():
            self._of_campaign(campaign)
            for site in sites:
                self._site(site)
                added = self._engine.execute(
                    "INSERT INTO campaign_sites (campaign, site) VALUES (?, ?)"
                    " ON CONFLICT DO NOTHING",
                    [campaign, site],
                ).rowcount
                if added:
                    self._decided(site, "campaign", date, who, "", campaign, why)

    def leave_campaign(
        self, campaign: str, sites: Sequence[str], date: str, who: str, why: str
    ) -> None:
        """Have sites take part in a campaign no more, and write that down."""
        with self._transaction():
            for site in sites:
                left = self._engine.execute(
                    "DELETE FROM campaign_sites WHERE campaign = ? AND site = ?", [campaign, site]
                ).rowcount
                if left:
                    self._decided(site, "campaign", date, who, campaign, "", why)

    def _of_campaign(self, campaign: str) -> str:
        settings = self._campaign(campaign)
        if not settings:
            raise NoSuchTransition(f"there is no campaign {campaign}")
        return settings

    def _campaign(self, campaign: str) -> str:
        """Return the settings of a campaign, or nothing."""
        found = self._engine.execute(
            "SELECT settings FROM campaigns WHERE campaign = ?", [campaign]
        ).fetchone()
        return "" if found is None else str(found["settings"])

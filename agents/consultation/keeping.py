"""What the agent keeps on disk for its readers: rules, the audit log, and what they chose."""

from pathlib import Path
from typing import Any

from twisted.application.service import Service
from twisted.logger import Logger

from agents import dates
from agents.configuration import Configuration, ConfigurationError, Port, secret
from agents.consultation.access.audit import Audit
from agents.consultation.access.audit_file import AuditFile
from agents.consultation.access.rules import Rules
from agents.consultation.access.rules_file import NAME as RULES
from agents.consultation.config import ConsultationConfig
from agents.consultation.errors import RulesRefused
from agents.consultation.readers import kept
from agents.consultation.readers.readers import Readers
from agents.consultation.readers.visits import Visits
from agents.page import Badge, Figures, Note, Section
from agents.urls import split_port
from anet.address import is_loopback
from anet.errors import AnetError
from anet.tasks import Tasks, every
from anet.workers import Workers

LOOK_EVERY = 2.0  # seconds between two looks at the file of rules
KEEP_EVERY = 60.0  # seconds; what was chosen since is lost when the process is killed

_log = Logger()


class Keeping(Service):
    """Reads what is kept, and keeps what changes, in a thread of its own.

    Attributes:
        rules: what may not be shown.
        audit: the log of what is asked.
        readers: what each reader chose.
    """

    def __init__(
        self, reactor: Any, name: str, configuration: Configuration, config: ConsultationConfig
    ) -> None:
        """Read the rules and the choices. Blocks.

        Raises:
            ConfigurationError: the rules are none, so that nothing would be kept back.
        """
        self._reactor = reactor
        self._choices = configuration.directory / name / kept.NAME
        self.rules = rules_of(configuration, config, lambda: dates.now(reactor))
        self.audit = Audit(reactor, _audit_file(name, configuration, config))
        visits = None
        if config.date_by == "cookie":
            visits = Visits(secret(configuration.directory).encode())
        self.readers = Readers(config.readers, visits)
        self.readers.restore(kept.load(self._choices))
        self._kept_changes = self.readers.changes
        self._tasks = Tasks()
        self._workers = Workers(reactor, 1, name="keeping")

    def startService(self) -> None:
        """Begin to look after changes."""
        super().startService()
        self._workers.startService()
        self.audit.start()
        self.audit.event("start", rules=self.rules.count)
        self._tasks.start(every(self._reactor, LOOK_EVERY, self.look), "access rules")
        self._tasks.start(every(self._reactor, KEEP_EVERY, self.keep), "readers' choices")

    async def stopService(self) -> None:
        """Keep what was chosen last, and write the log to its end."""
        super().stopService()
        await self._tasks.stop()
        await self.keep()
        self.audit.event("stop")
        await self.audit.stop()
        await self._workers.stopService()

    async def look(self) -> None:
        """Take the rules as the file has them now; note it when they changed."""
        before = self.rules.trouble
        if await self._workers.run(self.rules.renew):
            self.audit.event("rules", rules=self.rules.count)
        elif self.rules.trouble != before:
            self.audit.event("rules refused", why=self.rules.trouble)

    async def keep(self) -> None:
        """Keep what readers chose, if they chose anything since."""
        changes = self.readers.changes
        if changes == self._kept_changes:
            return
        try:
            await self._workers.run(kept.save, self._choices, self.readers.all())
        except (OSError, AnetError) as error:
            _log.error("what readers chose cannot be kept: {error}", error=error)
        else:
            self._kept_changes = changes

    def notes(self) -> list[Section]:
        """Return what people must know of rules and log; nothing while all is well."""
        found: list[Section] = []
        if self.rules.trouble:
            text = f"The former {self.rules.count} hold on: {self.rules.trouble}"
            found.append(Note("The access rules are not taken", text, "bad"))
        if self.audit.trouble:
            text = f"{self.audit.trouble}. {self.audit.lost} lines are lost, others wait."
            found.append(Note("The audit log cannot be written", text, "bad"))
        return found

    def figures(self) -> Figures:
        """Return what the agent's page shows of rules and log."""
        return Figures(
            "Rules and audit log",
            {
                "access rules": self.rules.count,
                "audit log": Badge("written", "good") if self.audit.on else Badge("off", "quiet"),
                "lines lost": self.audit.lost,
            },
        )

    def status(self) -> dict[str, Any]:
        """Return what there is to say of rules and log, as values."""
        return {
            "access_rules": self.rules.count,
            "access_rules_trouble": self.rules.trouble,
            "audit_log": self.audit.on,
            "audit_lines_lost": self.audit.lost,
            "audit_trouble": self.audit.trouble,
        }


def rules_path(configuration: Configuration, config: ConsultationConfig) -> Path:
    """Return where the access rules lie."""
    return Path(configuration.directory, config.access_rules or RULES)


def rules_of(configuration: Configuration, config: ConsultationConfig, now: Any) -> Rules:
    """Return the access rules. Blocks.

    Raises:
        ConfigurationError: the file holds something else.
    """
    path = rules_path(configuration, config)
    try:
        return Rules(path, now)
    except RulesRefused as error:
        message = str(error).removeprefix(f"{path}: ")
        raise ConfigurationError(str(path), 0, "", message) from None


def _audit_file(
    name: str, configuration: Configuration, config: ConsultationConfig
) -> AuditFile | None:
    wanted = config.audit_log
    if wanted is None:
        proxy, _ = split_port(configuration.address(Port.PROXY, config.proxy))
        wanted = not is_loopback(proxy.strip("[]"))
    path = configuration.directory / name / "audit.jsonl"
    return AuditFile(path, config.audit_size) if wanted else None

"""What a reader may set: language, the live web, and to be forgotten."""

from typing import Any

from attrs import asdict

from agents.consultation.harbor import frame
from agents.consultation.harbor.asked import origin_of, wants_json
from agents.consultation.harbor.forms import FormRefused
from agents.consultation.harbor.means import Means
from agents.consultation.harbor.parts import button, form, hidden, paragraph, section, select
from agents.consultation.harbor.view import View
from agents.consultation.harbor.words import Words
from agents.consultation.readers.reader import PLAIN, Reader
from anet.http import Request, Response


async def settings(means: Means, request: Request) -> Response:
    """Show what the reader chose."""
    view = means.view(request)
    if wants_json(request):
        told = {"language": view.language, "live": view.live, "live_allowed": means.live}
        return frame.json({"date": view.date, **told})
    main = (
        paragraph(view.when(), "summary")
        + _language(means, view)
        + _live(means, view)
        + _date(view, means.reader(request))
        + _forget(view)
    )
    return frame.page(view, view.words.say("settings"), main, "/settings")


async def change(means: Means, request: Request) -> Response:
    """Change what the form says, and show the settings."""
    say = means.view(request).words.say
    reader = means.reader(request)
    try:
        fields = await means.forms.read(request, origin_of(request), reader.key)
    except FormRefused as error:
        return means.say(request, 403, "settings.unchanged", say(f"refused.{error.reason}"))
    if fields.get("live") == "1" and means.live == "no":
        return means.say(request, 403, "settings.unchanged", say("settings.live.refused"))
    if "forget" in fields:
        means.readers.choose(reader.key, **asdict(PLAIN))
        means.screens.forget(reader.key)
    else:
        means.readers.choose(reader.key, **_changes(fields, means))
    return Response.redirect("/settings", 303)


def _changes(fields: dict[str, str], means: Means) -> dict[str, Any]:
    changes: dict[str, Any] = {}
    if "live" in fields:
        changes["live"] = fields["live"] == "1"
    language = fields.get("language")
    if language is not None:
        changes["language"] = language if language in means.languages else ""
    return changes


def _language(means: Means, view: View) -> str:
    say = view.words.say
    choices = [("", say("settings.language.browser"))]
    choices += [(each, Words(each).say("language")) for each in means.languages]
    inside = select("language", say("settings.language"), view.language, choices)
    inside += f"<div>{button(say('settings.save'))}</div>"
    return section(say("settings.language"), form("/settings", inside, view, _PLAIN), "language-t")


_PLAIN = ' class="decide inner"'


def _live(means: Means, view: View) -> str:
    say = view.words.say
    inside = paragraph(say(f"settings.live.{means.live}"))
    if means.live == "no":
        return section(say("settings.live"), f'<div class="inner">{inside}</div>', "live-t")
    words = say("settings.live.off" if view.live else "settings.live.on")
    inside += hidden("live", "0" if view.live else "1") + f"<div>{button(words)}</div>"
    return section(say("settings.live"), form("/settings", inside, view, _PLAIN), "live-t")


def _date(view: View, reader: Reader) -> str:
    say = view.words.say
    if reader.name:
        words = say("settings.date.name", name=reader.name)
    else:
        kind = "address" if reader.key == reader.address else "cookie"
        words = say(f"settings.date.{kind}")
    return section(say("settings.date"), paragraph(words, "empty"), "date-t")


def _forget(view: View) -> str:
    say = view.words.say
    inside = paragraph(say("settings.forget.words"))
    inside += f"<div>{button(say('settings.forget.button'), 'forget', '1')}</div>"
    return section(say("settings.forget"), form("/settings", inside, view, _PLAIN), "forget-t")

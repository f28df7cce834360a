"""What the monitoring page says of the live web."""

from agents.consultation.live.live import Live
from agents.page import Badge, Cell, Figures, Section


def sections_of(live: Live | None) -> list[Section]:
    """Return the sections; none where the operator does not allow the live web."""
    if live is None:
        return []
    figures: dict[str, Cell] = {"under way": live.under_way}
    recorder = live.recorder
    if recorder is None:
        return [Figures("The live web", figures | {"recorded": "no"})]
    figures["kept"] = recorder.kept
    figures |= {f"left out: {reason}": count for reason, count in recorder.left_out.items()}
    figures["directories that wait for the scheduler"] = recorder.waiting
    if recorder.problem:
        figures["problem"] = Badge(recorder.problem, "bad")
    return [Figures("The live web", figures)]

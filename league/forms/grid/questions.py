"""What a row of the sheet tells beside its scores, and what it asks: who made whom bust, and chombo."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from league.core.sheet_cells import MARKS, write_cell
from scoring.core import Bust, FinishedGame


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked in place about a score that is bust: the field of the answer, who it is, and every answer."""

    name: str
    who: str
    answers: tuple[tuple[str, str], ...]


def question_of(seat: int, names: Sequence[str], field: str) -> Question:
    """Return what is asked of the score of a seat that is bust; the names by seat."""
    return Question(field, names[seat], tuple(_answers(seat, names)))


def told_beside(game: FinishedGame, names: Sequence[str]) -> list[str]:
    """Return in sentences who is bust and how, and who has chombo; the names by seat."""
    busts = [
        _("%(name)s is bust: %(how)s") % {"name": names[bust.seat], "how": _how(bust, names)} for bust in game.busts
    ]
    chombo = [
        _("%(name)s: chombo %(count)s") % {"name": name, "count": count}
        for name, count in zip(names, game.chombo, strict=False)
        if count
    ]
    return busts + chombo


def _answers(seat: int, names: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield what may stand behind the score of a seat that is bust, and what it means."""
    others = [other for other in range(len(names)) if other != seat]
    won = [Bust(seat, "win", winners=(other,)) for other in others]
    drawn = [
        Bust(seat, "draw", tenpai=tenpai) for count in range(len(others)) for tenpai in combinations(others, count + 1)
    ]
    for bust in (*won, *drawn, Bust(seat, "other")):
        yield write_cell("", None, bust).strip(), _how(bust, names)


def _how(bust: Bust, names: Sequence[str]) -> str:
    """Return how somebody went bust; the names by seat."""
    called = pgettext("between names", ", ").join(
        f"{names[seat]}({MARKS[seat]})" for seat in bust.winners or bust.tenpai
    )
    if bust.by == "win":
        return _("%(names)s won") % {"names": called}
    if bust.by == "draw":
        return _("a draw; in tenpai: %(names)s") % {"names": called}
    return _("by a riichi without the points") if bust.by == "riichi" else _("by something else")

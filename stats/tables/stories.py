"""A story as its page shows it: the sentences, and the race as lines and as a table."""

from dataclasses import dataclass

from league.models import Standing
from stats.core.stories import StoryRace, race_of
from stats.selectors.stories import PeriodStory
from stats.tables.story_sentences import step_title


@dataclass(frozen=True, slots=True)
class RaceRow:
    """A day or a month of the race: everybody's total after it, in 1/1000 pt."""

    title: str
    totals: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class RaceOfStory:
    """The race of the first: who they are, their lines, and their totals step by step."""

    lines: tuple[Standing, ...]
    drawn: StoryRace
    rows: tuple[RaceRow, ...]


def race_page(story: PeriodStory) -> RaceOfStory | None:
    """Return the race of a story, None where nobody is ranked or nothing came on a day of its own."""
    curves = [curve for _, curve in story.race]
    drawn = race_of(curves)
    if drawn is None:
        return None
    rows = (
        RaceRow(step_title(step, story.period.kind), tuple(curve[number] for curve in curves))
        for number, step in enumerate(story.steps)
    )
    return RaceOfStory(tuple(line for line, _ in story.race), drawn, tuple(rows))

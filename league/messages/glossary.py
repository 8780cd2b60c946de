"""All terms and statistics with their exact definitions, in the order of the glossary page."""

from dataclasses import dataclass
from enum import StrEnum

from django.utils.functional import Promise
from django.utils.text import slugify
from django.utils.translation import get_language, override, pgettext_lazy
from django.utils.translation import gettext_lazy as _


class GlossaryGroup(StrEnum):
    GAME = "game"
    POINTS = "points"
    BOARD = "board"
    STATISTICS = "statistics"
    LEAGUE = "league"


TITLES: dict[GlossaryGroup, Promise] = {
    GlossaryGroup.GAME: _("At the table"),
    GlossaryGroup.POINTS: _("From raw scores to points"),
    GlossaryGroup.BOARD: _("Standings"),
    GlossaryGroup.STATISTICS: _("Statistics"),
    GlossaryGroup.LEAGUE: _("The league"),
}


@dataclass(frozen=True, slots=True)
class GlossaryItem:
    group: GlossaryGroup
    term: Promise
    meaning: Promise

    @property
    def key(self) -> str:
        """The entry's HTML id, the same in every language."""
        with override("en"):
            return slugify(str(self.term))

    @property
    def other(self) -> str:
        with override("en" if get_language() == "ja" else "ja"):
            return str(self.term)

    @property
    def other_language(self) -> str:
        """The code of the other language, for the `lang` attribute."""
        return "en" if get_language() == "ja" else "ja"


ITEMS: tuple[GlossaryItem, ...] = (
    GlossaryItem(
        GlossaryGroup.GAME,
        pgettext_lazy("glossary", "Hanchan"),
        _("One game at one table, including East-only games. All statistics are counted in hanchan."),
    ),
    GlossaryItem(
        GlossaryGroup.GAME,
        pgettext_lazy("glossary", "First dealer"),
        _(
            "The player who deals the first hand. Seats are counted from there: East, South, West, North. Many "
            "rules use this order to break ties."
        ),
    ),
    GlossaryItem(
        GlossaryGroup.GAME,
        pgettext_lazy("glossary", "Raw score"),
        _(
            "The score shown by a player's sticks at the end of a hanchan, such as 31,700. All raw scores and "
            "the riichi sticks left on the table add up to the points handed out at the start."
        ),
    ),
    GlossaryItem(
        GlossaryGroup.GAME,
        pgettext_lazy("glossary", "Placement"),
        _(
            "A player's finishing position in one hanchan: 1st to 4th, or 1st to 3rd with three players. Not the "
            "same as the rank in the standings."
        ),
    ),
    GlossaryItem(
        GlossaryGroup.GAME,
        pgettext_lazy("glossary", "Shared placement"),
        _(
            "If the rules let tied players share a placement, each gets the average of the placements: two "
            "players tied for first get 1.5 each. Counts are split evenly, so each has half a first and half a "
            "second place."
        ),
    ),
    GlossaryItem(
        GlossaryGroup.GAME,
        pgettext_lazy("glossary", "Leftover riichi sticks"),
        _(
            "1,000-point sticks that no one won before the end. The rules decide who gets them. They never "
            "change placements."
        ),
    ),
    GlossaryItem(
        GlossaryGroup.GAME,
        pgettext_lazy("glossary", "Bust"),
        _(
            "A raw score below zero (exactly zero is not a bust). In some rules the hanchan ends and the player "
            "who caused it gets a prize; in others play continues."
        ),
    ),
    GlossaryItem(
        GlossaryGroup.GAME,
        pgettext_lazy("glossary", "Chombo"),
        _(
            "A foul such as an invalid win. The penalty depends on the rules. A penalty on the total is shown "
            "separately from the points of the hanchan."
        ),
    ),
    GlossaryItem(
        GlossaryGroup.POINTS,
        pgettext_lazy("glossary", "Points"),
        _(
            "What a hanchan is worth in the standings (pt). Stored exactly, to a thousandth; shown with at least "
            "one decimal."
        ),
    ),
    GlossaryItem(
        GlossaryGroup.POINTS,
        pgettext_lazy("glossary", "Base"),
        _("The raw score minus the return points, divided by 1,000."),
    ),
    GlossaryItem(
        GlossaryGroup.POINTS,
        pgettext_lazy("glossary", "Oka"),
        _(
            "The difference between return and start points, paid by everyone and given to 1st place: 20 points "
            "for a start of 25,000 and a return of 30,000."
        ),
    ),
    GlossaryItem(
        GlossaryGroup.POINTS,
        pgettext_lazy("glossary", "Uma"),
        _("Points for the placement, for example +10, +5, −5, −10."),
    ),
    GlossaryItem(
        GlossaryGroup.POINTS,
        pgettext_lazy("glossary", "Ranking points"),
        _("The account used for the standings. The rules define what it includes."),
    ),
    GlossaryItem(
        GlossaryGroup.POINTS,
        pgettext_lazy("glossary", "Settlement"),
        _(
            "The account settled at the table, often rounded and including uma and bust prize. The rules define "
            "what it includes."
        ),
    ),
    GlossaryItem(
        GlossaryGroup.POINTS,
        pgettext_lazy("glossary", "Adjustment"),
        _("Points that an organiser adds to or subtracts from a total, with a public reason."),
    ),
    GlossaryItem(
        GlossaryGroup.BOARD,
        pgettext_lazy("glossary", "Rank"),
        _(
            "The position in the standings, by total points, points per hanchan or average placement, as the "
            "league chooses."
        ),
    ),
    GlossaryItem(
        GlossaryGroup.BOARD,
        pgettext_lazy("glossary", "Change"),
        _(
            "The current rank compared with the rank before the period's last playing day. Tie-breaks are "
            "ignored in both."
        ),
    ),
    GlossaryItem(
        GlossaryGroup.BOARD,
        pgettext_lazy("glossary", "Gap"),
        _("The difference from the player one rank above, in the unit of the standings."),
    ),
    GlossaryItem(
        GlossaryGroup.BOARD,
        pgettext_lazy("glossary", "Minimum"),
        _(
            "The number of hanchan a player needs to be ranked in a month, a year or all time. Players below it "
            "are listed under the ranking. Custom date ranges have no minimum."
        ),
    ),
    GlossaryItem(
        GlossaryGroup.BOARD,
        pgettext_lazy("glossary", "Tie-break"),
        _(
            "How tied players are ordered in the standings, step by step, as set by the league. The row shows "
            "which step decided."
        ),
    ),
    GlossaryItem(
        GlossaryGroup.BOARD,
        pgettext_lazy("glossary", "Last five"),
        _(
            "Placements in the five most recent hanchan, oldest on the left. A shared placement is shown as the "
            "best one it covers."
        ),
    ),
    GlossaryItem(
        GlossaryGroup.BOARD,
        pgettext_lazy("glossary", "Trend"),
        _(
            "Cumulative points: per playing day for months and custom ranges, per month for years and all time. "
            "Each curve has its own scale; the dashed line is zero."
        ),
    ),
    GlossaryItem(
        GlossaryGroup.STATISTICS,
        pgettext_lazy("glossary", "Average placement"),
        _(
            "The sum of placements divided by the number of hanchan. The midpoint is 2.50 with four players and "
            "2.00 with three."
        ),
    ),
    GlossaryItem(
        GlossaryGroup.STATISTICS,
        pgettext_lazy("glossary", "95-percent range"),
        _(
            "How far luck alone moves the average placement of equally strong players: ±1.96 × √(1.25 ÷ hanchan) "
            "with four players, 2 ÷ 3 instead of 1.25 with three. A smaller difference is not evidence of skill."
        ),
    ),
    GlossaryItem(
        GlossaryGroup.STATISTICS,
        pgettext_lazy("glossary", "Provisional"),
        _(
            "Marks rates from fewer than 20 hanchan, ratings from fewer than ten, and records against an "
            "opponent met fewer than five times."
        ),
    ),
    GlossaryItem(
        GlossaryGroup.STATISTICS,
        pgettext_lazy("glossary", "1st rate"),
        _("First places divided by hanchan."),
    ),
    GlossaryItem(
        GlossaryGroup.STATISTICS,
        pgettext_lazy("glossary", "Top-2 rate"),
        _("First and second places divided by hanchan."),
    ),
    GlossaryItem(
        GlossaryGroup.STATISTICS,
        pgettext_lazy("glossary", "Last avoidance"),
        _(
            "Hanchan not finished in last place, divided by all hanchan. Last is fourth at a table of four and third at a table of three."
        ),
    ),
    GlossaryItem(
        GlossaryGroup.STATISTICS,
        pgettext_lazy("glossary", "Below-zero rate"),
        _("Hanchan with a raw score below zero or a bust, divided by all hanchan."),
    ),
    GlossaryItem(
        GlossaryGroup.STATISTICS,
        pgettext_lazy("glossary", "Points per hanchan"),
        _("The total divided by the number of hanchan, rounded to one decimal."),
    ),
    GlossaryItem(
        GlossaryGroup.STATISTICS,
        pgettext_lazy("glossary", "Plus rate"),
        _("Hanchan with positive points (exactly zero not included), divided by all hanchan."),
    ),
    GlossaryItem(
        GlossaryGroup.STATISTICS,
        pgettext_lazy("glossary", "Average raw score"),
        _("The sum of the raw scores divided by the number of hanchan."),
    ),
    GlossaryItem(
        GlossaryGroup.STATISTICS,
        pgettext_lazy("glossary", "Placement distribution"),
        _("The number of hanchan with each placement, such as 19-13-18-10."),
    ),
    GlossaryItem(
        GlossaryGroup.STATISTICS,
        pgettext_lazy("glossary", "Streak"),
        _(
            "Consecutive hanchan of one kind: first, top two, not last, not first, bottom two, last. A shared "
            "placement counts as the best one it covers."
        ),
    ),
    GlossaryItem(
        GlossaryGroup.STATISTICS,
        pgettext_lazy("glossary", "Head to head"),
        _(
            "Hanchan in which two players shared a table: above, below and level by placement. The rate is the "
            "share finished above the opponent, shown after five meetings. The difference is the opponent's "
            "average placement minus your own, so higher is better."
        ),
    ),
    GlossaryItem(
        GlossaryGroup.STATISTICS,
        pgettext_lazy("glossary", "Confidence range"),
        _(
            "Shown after a rate, such as 11.2%–46.9%: the true rate is within this range in 95 of 100 cases "
            "(Wilson). More hanchan make it narrower. Rates with widely overlapping ranges hardly differ."
        ),
    ),
    GlossaryItem(
        GlossaryGroup.STATISTICS,
        pgettext_lazy("glossary", "Percentile"),
        _(
            "“Ahead of 80%”: of the players with at least 20 hanchan in the period (or the minimum, if higher), "
            "80% do worse. Of those with the same value, including the player, half are counted as worse."
        ),
    ),
    GlossaryItem(
        GlossaryGroup.STATISTICS,
        pgettext_lazy("glossary", "Estimated strength"),
        _(
            "The average placement, pulled towards the league's average; the fewer hanchan, the stronger the "
            "pull. Not shown with fewer than eight players, or if differences between players can be explained "
            "by luck."
        ),
    ),
    GlossaryItem(
        GlossaryGroup.STATISTICS,
        pgettext_lazy("glossary", "Tenhou R"),
        _(
            "A rating by placements only, as on Tenhou. Everyone starts at 1500, a good placement gains more "
            "against stronger players, and changes get smaller until the 400th hanchan."
        ),
    ),
    GlossaryItem(
        GlossaryGroup.STATISTICS,
        pgettext_lazy("glossary", "Skill"),
        _(
            "A rating that takes its own uncertainty into account (Plackett–Luce). Two standard deviations are "
            "subtracted, so playing more also raises it. New players start at 1500. The ratings page shows "
            "whether it predicts better than chance."
        ),
    ),
    GlossaryItem(
        GlossaryGroup.STATISTICS,
        pgettext_lazy("glossary", "Title"),
        _(
            "Best in one statistic of a month, a year or all time, among players with enough hanchan. Titles are "
            "based on results and may change when a result is corrected."
        ),
    ),
    GlossaryItem(
        GlossaryGroup.LEAGUE,
        pgettext_lazy("glossary", "Session"),
        _("One gathering on one date, with one or more tables and several hanchan at each."),
    ),
    GlossaryItem(
        GlossaryGroup.LEAGUE,
        pgettext_lazy("glossary", "League day"),
        _(
            "A day that starts at the league's day boundary, 06:00 by default: a hanchan that ends at 01:30 "
            "counts for the previous day."
        ),
    ),
    GlossaryItem(
        GlossaryGroup.LEAGUE,
        pgettext_lazy("glossary", "Voided"),
        _("A result that no longer counts. It stays visible with its reason; nothing is deleted."),
    ),
)

"""Every term and statistic with its exact definition, in the order in which the glossary page shows them."""

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
    GlossaryGroup.BOARD: _("Leaderboards"),
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
        """The anchor of the entry, the same in every language."""
        with override("en"):
            return slugify(str(self.term))

    @property
    def other(self) -> str:
        with override("en" if get_language() == "ja" else "ja"):
            return str(self.term)

    @property
    def other_language(self) -> str:
        """The code of the other language, for the page's `lang`."""
        return "en" if get_language() == "ja" else "ja"


ITEMS: tuple[GlossaryItem, ...] = (
    GlossaryItem(
        GlossaryGroup.GAME,
        pgettext_lazy("glossary", "Hanchan"),
        _("One game at one table, also when the rules play east rounds only. The unit in which everything is counted."),
    ),
    GlossaryItem(
        GlossaryGroup.GAME,
        pgettext_lazy("glossary", "First dealer"),
        _(
            "The player who deals the first hand. Seats are counted from there: east, south, west, north. The order often decides between equal scores."
        ),
    ),
    GlossaryItem(
        GlossaryGroup.GAME,
        pgettext_lazy("glossary", "Raw score"),
        _(
            "What a player's sticks show when the hanchan is over, in points of the game such as 31,700. All raw scores and the riichi sticks left on the table add up to what was handed out."
        ),
    ),
    GlossaryItem(
        GlossaryGroup.GAME,
        pgettext_lazy("glossary", "Placement"),
        _(
            "Where a player finished in one hanchan: 1st to 4th, or to 3rd at a table of three. Not to be confused with the rank on a leaderboard."
        ),
    ),
    GlossaryItem(
        GlossaryGroup.GAME,
        pgettext_lazy("glossary", "Shared placement"),
        _(
            "Where the rules let equal scores share, each of the players counts the middle of the places covered: two tied for first have 1.5 each. Counts of places are split evenly, so two tied for first and second each have half a first and half a second place."
        ),
    ),
    GlossaryItem(
        GlossaryGroup.GAME,
        pgettext_lazy("glossary", "Riichi sticks left"),
        _(
            "Sticks of 1,000 that nobody won before the end. The rules say who receives them; they never change a placement."
        ),
    ),
    GlossaryItem(
        GlossaryGroup.GAME,
        pgettext_lazy("glossary", "Bust"),
        _(
            "A raw score below zero, exactly zero not included. Under some rules the hanchan ends there and a prize goes to whoever caused it; under others play goes on."
        ),
    ),
    GlossaryItem(
        GlossaryGroup.GAME,
        pgettext_lazy("glossary", "Chombo"),
        _(
            "A foul such as an invalid win. What it costs is up to the rules; a penalty on the total is shown apart from the points of the hanchan."
        ),
    ),
    GlossaryItem(
        GlossaryGroup.POINTS,
        pgettext_lazy("glossary", "Points"),
        _(
            "What a hanchan is worth on the leaderboard, written pt. Kept exactly, to a thousandth; at least one decimal is shown."
        ),
    ),
    GlossaryItem(
        GlossaryGroup.POINTS,
        pgettext_lazy("glossary", "Base"),
        _("The raw score minus the return score, divided by 1,000."),
    ),
    GlossaryItem(
        GlossaryGroup.POINTS,
        pgettext_lazy("glossary", "Oka"),
        _(
            "What everybody paid in beyond the starting score, given to the top: with 25,000 to start and 30,000 to return, 20 points."
        ),
    ),
    GlossaryItem(
        GlossaryGroup.POINTS,
        pgettext_lazy("glossary", "Uma"),
        _("Points for the placement, for instance +10, +5, −5, −10."),
    ),
    GlossaryItem(
        GlossaryGroup.POINTS,
        pgettext_lazy("glossary", "Ranking points"),
        _("The account that is kept for rankings. The rules say which parts it holds."),
    ),
    GlossaryItem(
        GlossaryGroup.POINTS,
        pgettext_lazy("glossary", "Settlement"),
        _(
            "The account that is settled at the table, often rounded and with uma and bust prize. The rules say which parts it holds."
        ),
    ),
    GlossaryItem(
        GlossaryGroup.POINTS,
        pgettext_lazy("glossary", "Adjustment"),
        _("Points put on or taken off somebody's total by an organiser, with a reason that everybody can read."),
    ),
    GlossaryItem(
        GlossaryGroup.BOARD,
        pgettext_lazy("glossary", "Rank"),
        _(
            "The place on a leaderboard. The league chooses what it goes by: total points, points per hanchan, or average placement."
        ),
    ),
    GlossaryItem(
        GlossaryGroup.BOARD,
        pgettext_lazy("glossary", "Change"),
        _(
            "The rank now against the rank before the last day of play in the period. Both are compared before ties are broken."
        ),
    ),
    GlossaryItem(
        GlossaryGroup.BOARD,
        pgettext_lazy("glossary", "Gap"),
        _("The distance to the player one rank above, in the unit the leaderboard goes by."),
    ),
    GlossaryItem(
        GlossaryGroup.BOARD,
        pgettext_lazy("glossary", "Minimum"),
        _(
            "How many hanchan somebody needs to be ranked in a month, a year or all time. Players below it stay visible under the ranking. A free range has no minimum."
        ),
    ),
    GlossaryItem(
        GlossaryGroup.BOARD,
        pgettext_lazy("glossary", "Tie-break"),
        _(
            "How equal scores on a leaderboard are ordered, step by step, as the league has set it. The row says which step decided."
        ),
    ),
    GlossaryItem(
        GlossaryGroup.BOARD,
        pgettext_lazy("glossary", "Last five"),
        _(
            "The placements of the five latest hanchan, the oldest on the left. A shared placement shows the best of the places it covers."
        ),
    ),
    GlossaryItem(
        GlossaryGroup.BOARD,
        pgettext_lazy("glossary", "Trend"),
        _(
            "Cumulative points: by day of play within a month or a free range, by month in a year and in all time. Each curve has a scale of its own; the dashed line is zero."
        ),
    ),
    GlossaryItem(
        GlossaryGroup.STATISTICS,
        pgettext_lazy("glossary", "Average placement"),
        _(
            "The sum of the placements divided by the number of hanchan. 2.50 is the middle at a table of four, 2.00 at a table of three."
        ),
    ),
    GlossaryItem(
        GlossaryGroup.STATISTICS,
        pgettext_lazy("glossary", "95-percent range"),
        _(
            "How far luck alone moves the average placement of equal players: ±1.96 × √(1.25 ÷ hanchan) at a table of four, with 2 ÷ 3 in place of 1.25 at a table of three. Averages closer together than this are not a difference in skill."
        ),
    ),
    GlossaryItem(
        GlossaryGroup.STATISTICS,
        pgettext_lazy("glossary", "Provisional"),
        _(
            "Marks rates of fewer than 20 hanchan, ratings of fewer than ten, and records against an opponent met fewer than five times."
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
        _("Hanchan finished with a raw score below zero, or bust by the rules, divided by all hanchan."),
    ),
    GlossaryItem(
        GlossaryGroup.STATISTICS,
        pgettext_lazy("glossary", "Points per hanchan"),
        _("The total divided by the number of hanchan, rounded to one decimal."),
    ),
    GlossaryItem(
        GlossaryGroup.STATISTICS,
        pgettext_lazy("glossary", "Plus rate"),
        _("Hanchan that won points, exactly zero not included, divided by all hanchan."),
    ),
    GlossaryItem(
        GlossaryGroup.STATISTICS,
        pgettext_lazy("glossary", "Average raw score"),
        _("The sum of the raw scores divided by the number of hanchan."),
    ),
    GlossaryItem(
        GlossaryGroup.STATISTICS,
        pgettext_lazy("glossary", "Placement distribution"),
        _("How often each place was taken, such as 19-13-18-10."),
    ),
    GlossaryItem(
        GlossaryGroup.STATISTICS,
        pgettext_lazy("glossary", "Streak"),
        _(
            "Consecutive hanchan of one kind: firsts, top two, not last, not first, bottom two, lasts. For a shared placement the best of the places it covers counts."
        ),
    ),
    GlossaryItem(
        GlossaryGroup.STATISTICS,
        pgettext_lazy("glossary", "Head to head"),
        _(
            "Hanchan in which two players sat at one table: above, below and level by placement; the rate is above divided by all, from five meetings on; the difference is the opponent's average placement minus one's own, so more is better."
        ),
    ),
    GlossaryItem(
        GlossaryGroup.STATISTICS,
        pgettext_lazy("glossary", "Range of a rate"),
        _(
            "Stands behind a rate, such as 11.2%–46.9%: the true rate lies in it in 95 of 100 cases, by Wilson. It narrows as hanchan are added; rates whose ranges overlap widely tell little apart."
        ),
    ),
    GlossaryItem(
        GlossaryGroup.STATISTICS,
        pgettext_lazy("glossary", "Percentile"),
        _(
            "“Ahead of 80%”: of the players with 20 hanchan or more in the period, and with the minimum where that is higher, so many do worse; of those who do as well, half are counted, oneself among them."
        ),
    ),
    GlossaryItem(
        GlossaryGroup.STATISTICS,
        pgettext_lazy("glossary", "Estimated strength"),
        _(
            "The average placement drawn towards that of the league, the more so the fewer hanchan there are. Not given with fewer than eight players, or where they differ no more than luck makes them."
        ),
    ),
    GlossaryItem(
        GlossaryGroup.STATISTICS,
        pgettext_lazy("glossary", "Tenhou R"),
        _(
            "A rating by placements only, as on Tenhou: everybody begins with 1500, a good place brings more against stronger players, and changes become smaller up to the 400th hanchan."
        ),
    ),
    GlossaryItem(
        GlossaryGroup.STATISTICS,
        pgettext_lazy("glossary", "Skill"),
        _(
            "A rating that knows how sure it is (Plackett–Luce). Two deviations are taken off before it is shown, so it also rises by playing; who is new has 1500. The page of the ratings says whether it predicts better than chance."
        ),
    ),
    GlossaryItem(
        GlossaryGroup.STATISTICS,
        pgettext_lazy("glossary", "Title"),
        _(
            "First in one statistic of a month, a year or all time among those who have played as many hanchan as it asks for. Titles follow from the results: where one is corrected, they may change hands."
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
            "A day that begins at the league's day boundary, 06:00 unless it was changed: a hanchan that ends at 01:30 belongs to the evening before."
        ),
    ),
    GlossaryItem(
        GlossaryGroup.LEAGUE,
        pgettext_lazy("glossary", "Taken back"),
        _("A result that no longer counts. It stays readable with its reason; nothing is deleted."),
    ),
)

"""What achievements are called, and what one has to do for them; the names of records."""

from collections.abc import Mapping

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from stats.core.feats import Feat
from stats.core.league_records import RecordKind
from stats.core.statistics import Run

ACHIEVEMENTS: Mapping[Feat, tuple[Promise, Promise]] = {
    Feat.FIRST_TOP: (pgettext_lazy("achievement", "The first top"), _("A hanchan won for the first time.")),
    Feat.TOPS_3: (pgettext_lazy("achievement", "Three tops in a row"), _("Three hanchan won one after the other.")),
    Feat.TOPS_5: (pgettext_lazy("achievement", "Five tops in a row"), _("Nobody could stop it for five hanchan.")),
    Feat.TOPS_10: (pgettext_lazy("achievement", "Ten tops in a row"), _("They will tell of it for years.")),
    Feat.HANCHAN_100: (pgettext_lazy("achievement", "A hundred hanchan"), _("A regular at the table.")),
    Feat.HANCHAN_500: (
        pgettext_lazy("achievement", "Five hundred hanchan"),
        _("What would the league be without them?"),
    ),
    Feat.RAW_60: (pgettext_lazy("achievement", "60,000 points"), _("A hanchan that ended with 60,000 points or more.")),
    Feat.RAW_80: (pgettext_lazy("achievement", "80,000 points"), _("A hanchan that ended with 80,000 points or more.")),
    Feat.YAKUMAN: (pgettext_lazy("achievement", "A yakuman"), _("A yakuman won, and noted with the result.")),
    Feat.NO_LAST: (
        pgettext_lazy("achievement", "A month without a last place"),
        _("A whole month, with the minimum of hanchan, and never last."),
    ),
    Feat.FOUR_SEATS: (
        pgettext_lazy("achievement", "A top from every seat"),
        _("Hanchan won from the East, the South, the West and the North."),
    ),
    Feat.EVERYBODY: (
        pgettext_lazy("achievement", "Everybody beaten once"),
        _("Placed above everybody met so far at least once, and those were eight or more."),
    ),
}
"""Names and explanations, as they are listed."""

RECORDS: Mapping[RecordKind, tuple[Promise, Promise | str]] = {
    RecordKind.HIGHEST_RAW: (_("Highest raw score"), ""),
    RecordKind.LOWEST_RAW: (_("Lowest raw score"), ""),
    RecordKind.MOST_POINTS: (_("Most points in a hanchan"), ""),
    RecordKind.FEWEST_POINTS: (_("Fewest points in a hanchan"), ""),
    RecordKind.BIGGEST_EVENING: (_("Most points in an evening"), _("all hanchan of a session on one day")),
    RecordKind.MOST_IN_EVENING: (_("Most hanchan in an evening"), _("by one player in a session on one day")),
    RecordKind.CLOSEST: (_("Closest hanchan"), _("least between first and last; the winner")),
    RecordKind.WIDEST: (_("Widest hanchan"), _("most between first and last; the winner")),
}
"""Names of records with what is meant, where the name does not say it."""

LONGEST: Mapping[Run, Promise] = {
    Run.FIRST: _("Most tops in a row"),
    Run.TOP_TWO: _("Longest in the top two"),
    Run.NOT_LAST: _("Longest without a last place"),
}

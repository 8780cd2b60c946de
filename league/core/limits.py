"""Input limits shared by pages, imports and files.

Scoring checks its own limits (`scoring.core`). Unless stated otherwise, the limits are what the database column can
hold, so that whatever was imported can be edited on its page.
"""

from scoring.core.hanchan import MAX_CHIPS, MAX_CHOMBO, MAX_RAW_SCORE, MAX_STICKS

__all__ = ["MAX_CHIPS", "MAX_CHOMBO", "MAX_RAW_SCORE", "MAX_STICKS"]

MAX_SMALL = 32_767
MAX_INTEGER = 2_147_483_647
"""Maximum of SmallIntegerField and IntegerField."""

# --- A hanchan -------------------------------------------------------------------------------------------------------

MAX_TABLE = MAX_SMALL
MAX_ROUND = MAX_SMALL

MAX_DEPOSITS = MAX_SMALL
"""Upper bound only; scoring also checks deposits against the leftover sticks."""

MAX_NOTE_LENGTH = 500
MAX_YAKUMAN_LENGTH = 200

# --- A player --------------------------------------------------------------------------------------------------------

MAX_NAME_LENGTH = 40
MAX_READING_LENGTH = 60
"""For kana readings and romanised names."""

MAX_MEMBER_NUMBER_LENGTH = 20
MAX_CLUB_LENGTH = 60

# --- A session -------------------------------------------------------------------------------------------------------

MAX_TITLE_LENGTH = 100
MAX_VENUE_LENGTH = 100

MAX_TYPED_NUMBER = 99_999
"""Highest session number accepted on a page; a larger one is a typing error and would shift all later sessions."""

MAX_PLANNED_TABLES = 100
"""Maximum number of planned tables on a page; more is a typing error. Sessions that already have more keep them."""

MAX_SESSION_HANCHAN = 100
"""Maximum number of hanchan that a points entry for a session can cover."""

MAX_GUESTS_OF_LINK = 8
"""Guests that may be added through a table link by default: two tables' worth."""

# --- The sheet of an evening -----------------------------------------------------------------------------------------

MAX_SHEET_ROWS = 80
MAX_SHEET_COLUMNS = 64
"""Each cell is a form field, so a larger session is split into several sheets."""

# --- Points, reasons, keys -------------------------------------------------------------------------------------------

MAX_POINTS = 1_000_000_000
"""One million points, in 1/1000 pt. More is a mistake and could overflow sums."""

MAX_REASON_LENGTH = 300
MAX_PUBLIC_REASON_LENGTH = 200
"""For adjustments and points without hanchan; shown publicly."""

MAX_KEY_LENGTH = 60

MAX_MINIMUM = MAX_SMALL
"""Highest minimum number of hanchan for a ranking."""

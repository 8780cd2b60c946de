"""Limits of input, shared by pages, imports and files.

Scoring checks its own limits (`scoring.core`). Others are what database columns can hold, unless stated otherwise, so
that anything imported can be corrected on its page.
"""

from scoring.core.hanchan import MAX_CHIPS, MAX_CHOMBO, MAX_RAW_SCORE, MAX_STICKS

__all__ = ["MAX_CHIPS", "MAX_CHOMBO", "MAX_RAW_SCORE", "MAX_STICKS"]

MAX_SMALL = 32_767
MAX_INTEGER = 2_147_483_647
"""The highest numbers of a small and of a usual column."""

# --- A hanchan -------------------------------------------------------------------------------------------------------

MAX_TABLE = MAX_SMALL
MAX_ROUND = MAX_SMALL

MAX_DEPOSITS = MAX_SMALL
"""Upper bound; scoring limits deposits to the sticks left."""

MAX_NOTE_LENGTH = 500
MAX_YAKUMAN_LENGTH = 200

# --- A player --------------------------------------------------------------------------------------------------------

MAX_NAME_LENGTH = 40
MAX_READING_LENGTH = 60
"""Of a name in kana or in Latin letters."""

MAX_MEMBER_NUMBER_LENGTH = 20
MAX_CLUB_LENGTH = 60

# --- A session -------------------------------------------------------------------------------------------------------

MAX_SESSION_NUMBER = MAX_INTEGER
MAX_TITLE_LENGTH = 100
MAX_VENUE_LENGTH = 100

MAX_TYPED_NUMBER = 99_999
"""Higher numbers are a slip of the finger on a page; the sessions behind it are counted on from it."""

MAX_PLANNED_TABLES = 100
"""More tables are a slip of the finger on a page; a session that has more already keeps them."""

MAX_SESSION_HANCHAN = 100
"""Most hanchan that one session entry of points may cover."""

MAX_GUESTS_OF_LINK = 8
"""Guests per table link unless an organiser allows more: two tables."""

# --- The sheet of an evening -----------------------------------------------------------------------------------------

MAX_SHEET_ROWS = 80
MAX_SHEET_COLUMNS = 64
"""Every cell of the sheet is a field of one form; a larger session has a sheet of several parts."""

# --- Points, reasons, keys -------------------------------------------------------------------------------------------

MAX_POINTS = 1_000_000_000
"""One million points in 1/1000 pt: more is a mistake, and would not fit the sums."""

MAX_REASON_LENGTH = 300
MAX_PUBLIC_REASON_LENGTH = 200
"""For adjustments and points without hanchan: the text is in a public table."""

MAX_KEY_LENGTH = 60

MAX_MINIMUM = MAX_SMALL
"""Of hanchan that a ranking asks for."""

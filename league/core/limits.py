"""How much of each thing is taken: every door through which it comes holds to the same limits.

What scoring itself refuses it says itself (`scoring.core`); the rest is as much as the columns of the database hold,
unless it says otherwise. Files and interchange may bring whatever can be stored, so pages take that too: what is in
the league can be corrected on its page.
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
"""Where sticks go back to whoever put them down, scoring holds them to the sticks that are left."""

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
"""For so many hanchan the points of one player in one session can stand."""

MAX_GUESTS_OF_LINK = 8
"""Guests who come into the list through one table link, unless an organiser allows more: two tables' worth."""

# --- The sheet of an evening -----------------------------------------------------------------------------------------

MAX_SHEET_ROWS = 80
MAX_SHEET_COLUMNS = 64
"""Every cell of the sheet is a field of one form; a larger session has a sheet of several parts."""

# --- Points, reasons, keys -------------------------------------------------------------------------------------------

MAX_POINTS = 1_000_000_000
"""One million points in 1/1000 pt: more is a mistake, and would not fit the sums."""

MAX_REASON_LENGTH = 300
MAX_PUBLIC_REASON_LENGTH = 200
"""Of an adjustment, and of a note beside points without hanchan: it stands in a table that everybody reads."""

MAX_KEY_LENGTH = 60

MAX_MINIMUM = MAX_SMALL
"""Of hanchan that a ranking asks for."""

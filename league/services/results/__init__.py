"""Results enter, are corrected and taken back here; nowhere else does a hanchan change."""

from league.services.results.changing import (
    correct_hanchan,
    locked_hanchan,
    restore_hanchan,
    set_result_state,
    void_hanchan,
)
from league.services.results.recording import (
    EVENING,
    beginning_of,
    check_players,
    confirms_alone,
    default_moment,
    once,
    record_hanchan,
    stored_hanchan,
)
from league.services.results.rows import DerivedSeat, derived_seats, incidents_of, new_hanchan, plain_seats, seated
from league.services.results.values import (
    ChangedMeanwhileError,
    HanchanResult,
    OtherPeopleError,
    RecordedHanchan,
    ResultError,
    SameResultError,
    TableAndTime,
    result_of,
    with_origin,
)

__all__ = [
    "EVENING",
    "ChangedMeanwhileError",
    "DerivedSeat",
    "HanchanResult",
    "OtherPeopleError",
    "RecordedHanchan",
    "ResultError",
    "SameResultError",
    "TableAndTime",
    "beginning_of",
    "check_players",
    "confirms_alone",
    "correct_hanchan",
    "default_moment",
    "derived_seats",
    "incidents_of",
    "locked_hanchan",
    "new_hanchan",
    "once",
    "plain_seats",
    "record_hanchan",
    "restore_hanchan",
    "result_of",
    "seated",
    "set_result_state",
    "stored_hanchan",
    "void_hanchan",
    "with_origin",
]

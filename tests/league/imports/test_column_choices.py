"""The list of what a column can hold: the usual things first, in groups."""

from league.core.spreadsheets.columns import RowShape
from league.core.spreadsheets.headers import all_targets
from league.forms.imports import column_choices

TARGETS = all_targets(RowShape.LONG) + tuple(each for each in all_targets(RowShape.WIDE) if each[-1:].isdigit())


def test_every_choice_stands_in_one_group() -> None:
    for form in RowShape:
        nothing, *groups = column_choices(TARGETS, form)
        assert nothing[0] == ""
        listed = [target for _title, choices in groups for target, _label in choices]
        assert sorted(listed) == sorted(TARGETS)


def test_usual_choices_come_first_and_fit_on_a_phone() -> None:
    _nothing, usual, after, *_rest = column_choices(TARGETS, RowShape.LONG)
    assert {target for target, _label in usual[1]} >= {"date", "player", "raw"}
    assert len(usual[1]) < 12
    assert not any(target[-1:].isdigit() for target, _label in after[1])


def test_seats_follow_at_once_where_a_row_is_a_game() -> None:
    _nothing, _usual, first_seat, *_rest = column_choices(TARGETS, RowShape.WIDE)
    assert all(target[-1:] == "1" for target, _label in first_seat[1])

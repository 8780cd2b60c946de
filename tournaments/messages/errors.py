"""Messages for tournament errors and format faults, with the remedy."""

from collections.abc import Iterable, Mapping

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext

from tournaments.core.format import Format
from tournaments.core.problems import FAULTS, FormatProblem
from tournaments.messages.titles import block_name, destination_label

SENTENCES: Mapping[str, object] = {
    # Preparing
    "no_rules": gettext_lazy("Choose the rules of the league first; every tournament is played by some rules."),
    "rules_incomplete": gettext_lazy(
        "%(rules)s cannot score yet. Set what is missing under Rules first, or choose other rules."
    ),
    "key_taken": gettext_lazy("A tournament of the league has the address “%(key)s” already. Choose another one."),
    "drawn": gettext_lazy(
        "The entries are closed. Whoever leaves from now on withdraws, and a substitute may come in."
    ),
    "not_in_league": gettext_lazy("%(name)s does not belong to this league. Choose from the list."),
    "full": gettext_lazy(
        "The format takes at most %(most)s players; with these there would be %(number)s. Leave some out."
    ),
    "entered_already": gettext_lazy(
        "%(name)s has entered already and cannot stand in for somebody else. Choose another player."
    ),
    "seed_twice": gettext_lazy("Seed %(seed)s is given twice. Every seed belongs to one player."),
    # Registering
    "registration_closed": gettext_lazy("Registration is closed. Ask the organiser."),
    "registration_soon": gettext_lazy("Registration has not begun yet. Come back when it has."),
    "registration_refused": gettext_lazy(
        "The organisers have refused this registration. Ask them if that was a mistake."
    ),
    "registration_flood": gettext_lazy(
        "So many people have registered by this address that it is closed. Ask the organiser."
    ),
    "not_yours": gettext_lazy("This name is in the league's list for good; an organiser can change it there."),
    "not_waiting": gettext_lazy("%(name)s is not on the waiting list any more. Look at the list."),
    "not_registered": gettext_lazy("%(name)s has no registration that stands. Take it up again first."),
    "check_in_closed": gettext_lazy("Check-in is not open. Ask the organiser."),
    # At a table
    "tick_ahead": gettext_lazy("The hanchan before this one has no result yet. Enter it first."),
    "too_many_ticks": gettext_lazy("Very much was typed for this hanchan already. Enter its result instead."),
    "ticker_closed": gettext_lazy(
        "Nothing is typed at this table any more: the session is closed, or its rules cannot score."
    ),
    "tick_elsewhere": gettext_lazy("This page was used for another hanchan. Load it again."),
    # Drawing
    "wrong_number": gettext_lazy("The format is played by %(least)s to %(most)s players, but there are %(number)s."),
    "wrong_number_exactly": gettext_lazy("Exactly %(most)s players are needed, but there are %(number)s."),
    "not_in_stage": gettext_lazy("%(name)s does not play in this stage. Choose from the list."),
    "missing_in_draw": gettext_lazy("%(name)s has no block yet. Choose one."),
    "twice": gettext_lazy("%(name)s is named twice. Choose everybody once."),
    "played": gettext_lazy("This cannot be changed any more: a result was entered already."),
    "block_size": gettext_lazy(
        "Block %(block)s has room for %(size)s players, but %(number)s were put into it. Move some."
    ),
    # Planning
    "not_drawn": gettext_lazy("Draw the blocks of this stage first; then its tables can be planned."),
    "not_known": gettext_lazy("It is not known yet who plays in this stage. Approve the stages before it first."),
    "planned_already": gettext_lazy("Session %(number)s is planned already. Choose a date only for the others."),
    "planned_already_block": gettext_lazy(
        "Session %(number)s of block %(block)s is planned already. Choose a date only for the others."
    ),
    "uneven": gettext_lazy(
        "%(number)s players do not fill tables of %(size)s. Call in a substitute, or put results in without a plan."
    ),
    "table_size": gettext_lazy(
        "%(rules)s are not for the tables of this format. Choose other rules for the tournament first."
    ),
    "seating": gettext_lazy("The tables could not be put together from these players. Check who plays in the stage."),
    "linked_already": gettext_lazy("%(session)s counts in a stage already. Take it out there first."),
    "no_such_stage": gettext_lazy("The format has no such stage or block. Choose from the list."),
    "no_such_table": gettext_lazy("Table %(table)s is not planned in this session. Choose from the list."),
    "not_by_standing": gettext_lazy(
        "The tables of this stage do not follow from the standings; they are planned all at once."
    ),
    "not_planned": gettext_lazy("There is no session for the next hanchan yet. Plan session %(number)s first."),
    "round_unfinished": gettext_lazy(
        "Results of the rounds so far are missing or do not fit the plan. Enter or correct them, or write why you go on without."
    ),
    "all_planned": gettext_lazy("Every hanchan of this stage is planned already."),
    # Directing the hall
    "timer_minutes": gettext_lazy("The timer runs from 1 to %(most)s minutes. Type another number."),
    "timer_unset": gettext_lazy("No timer is set. Set it first."),
    "timer_extra": gettext_lazy("A table is given 1 to %(most)s minutes more in all. Choose fewer."),
    # Deciding
    "reason_missing": gettext_lazy("Write why: this differs from what was proposed or decided before."),
    "proposal_changed": gettext_lazy("Meanwhile the standings have changed. Look at the new proposal, then approve."),
    "not_played": gettext_lazy("The stage is not played to the end. Enter the missing results first."),
    "level": gettext_lazy("Nothing separates %(names)s. Put them in order first."),
    "goes_elsewhere": gettext_lazy(
        "%(name)s goes to %(to)s by a decision. Choose “Decide anew” there and leave %(name)s out first."
    ),
    "has_withdrawn": gettext_lazy("%(name)s has withdrawn. Choose somebody else."),
    "revoked": gettext_lazy("This decision does not stand any more. Look at the newest one."),
    "nothing_short": gettext_lazy(
        "No planned hanchan of %(name)s is left in this stage, so there is no table to be settled."
    ),
    "no_substitute": gettext_lazy("Choose who comes in as the substitute."),
    "no_rules_for_three": gettext_lazy(
        "Playing on with three needs rules for three players. Choose some for the league first."
    ),
    "three_needed": gettext_lazy(
        "At one of these tables there would not be three players left. Choose another way to go on."
    ),
    "substitute_played": gettext_lazy(
        "%(name)s has played in this place already. If %(name)s leaves too, let %(name)s withdraw."
    ),
    "seat_taken": gettext_lazy("%(name)s sits at another table in the same hanchan. Choose somebody else."),
    "not_running": gettext_lazy("Nothing is drawn yet: simply take the player off the list of entries."),
    "not_level": gettext_lazy("These players are not level any more. Look at the standings."),
    "decided_already": gettext_lazy("Who goes on from this stage is decided. Reopen the stage first."),
    "nothing_to_reopen": gettext_lazy("Nothing was decided in this stage, so there is nothing to reopen."),
    "closed_already": gettext_lazy(
        "Nothing of this stage is left to be played, so it is closed already. Look at who goes on."
    ),
    "not_over": gettext_lazy("Not every stage is decided yet. Approve the last one first."),
}


def tournament_error_sentence(error: Exception, format_: Format | None = None) -> str:
    """`error`: a TournamentError, or what seating cannot do."""
    code: str = getattr(error, "code", "seating")
    values: dict[str, object] = dict(getattr(error, "values", {}))
    if code == "wrong_number" and values.get("least") == values.get("most"):
        code = "wrong_number_exactly"
    if code == "planned_already" and values.get("block"):
        code = "planned_already_block"
    if "names" in values:
        values["names"] = joined(values["names"])  # type: ignore[arg-type]
    if format_ is not None and "to" in values:
        values["to"] = destination_label(str(values["to"]), format_)
    return str(SENTENCES[code]) % values


def joined(names: Iterable[object]) -> str:
    return pgettext("between names", ", ").join(map(str, names))


def block_label(block: str, blocks: int) -> str:
    return block_name(block) if blocks > 1 else ""


MAX_QUOTED_LENGTH = 80
"""Longest quoted wrong value."""


def format_problem_sentence(problem: FormatProblem) -> str:
    text = _(FAULTS[problem.code]) % {name: _short(name, value) for name, value in problem.values.items()}
    return _("%(path)s: %(problem)s") % {"path": problem.path, "problem": text} if problem.path else text


def _short(name: str, value: object) -> str:
    text = str(value)
    return text if len(text) <= MAX_QUOTED_LENGTH or name == "choices" else f"{text[:MAX_QUOTED_LENGTH]}…"


def fit_sentence(number: int, format_: Format) -> str:
    sizes = format_.entrants
    size, missing = format_.table_size, max(0, sizes.least - number)
    left_over = number % size
    facts = {
        "number": number,
        "least": sizes.least,
        "missing": missing,
        "size": size,
        "to_fill": size - left_over,
        "left_over": left_over,
    }
    if missing and sizes.least == sizes.most:
        return _("%(number)s players: %(missing)s short of %(least)s.") % facts
    if missing:
        return _("%(number)s players: %(missing)s short of the %(least)s that the format needs at least.") % facts
    if left_over:
        return (
            _(
                "%(number)s players do not fill tables of %(size)s: %(to_fill)s more are needed, as players or substitutes, "
                "or %(left_over)s go back to the waiting list."
            )
            % facts
        )
    return _("%(number)s players: that can be drawn.") % facts

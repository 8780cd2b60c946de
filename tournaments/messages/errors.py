"""Why something cannot be done in a tournament, and how to mend it."""

from collections.abc import Iterable, Mapping

from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext

from tournaments.core.format import Format
from tournaments.messages.places import destination_label
from tournaments.messages.titles import block_name

SENTENCES: Mapping[str, object] = {
    # Preparing
    "no_rules": _("Choose the rules of the league first; every tournament is played by some rules."),
    "rules_incomplete": _("%(rules)s cannot score yet. Set what is missing under Rules first, or choose other rules."),
    "key_taken": _("A tournament of the league has the address “%(key)s” already. Choose another one."),
    "drawn": _("The entries are closed. Whoever leaves from now on withdraws, and a substitute may come in."),
    "not_in_league": _("%(name)s does not belong to this league. Choose from the list."),
    "full": _("The format takes at most %(most)s players; with these there would be %(number)s. Leave some out."),
    "entered_already": _("%(name)s has entered already and cannot stand in for somebody else. Choose another player."),
    "seed_twice": _("Seed %(seed)s is given twice. Every seed belongs to one player."),
    # Registering
    "registration_closed": _("Registration is closed. Ask the organiser."),
    "registration_soon": _("Registration has not begun yet. Come back when it has."),
    "registration_refused": _("The organisers have refused this registration. Ask them if that was a mistake."),
    "registration_flood": _("So many people have registered by this address that it is closed. Ask the organiser."),
    "not_yours": _("This name is in the league's list for good; an organiser can change it there."),
    "not_waiting": _("%(name)s is not on the waiting list any more. Look at the list."),
    "not_registered": _("%(name)s has no registration that stands. Take it up again first."),
    "check_in_closed": _("Check-in is not open. Ask the organiser."),
    # At a table
    "tick_ahead": _("The hanchan before this one has no result yet. Enter it first."),
    "too_many_ticks": _("Very much was typed for this hanchan already. Enter its result instead."),
    "ticker_closed": _("Nothing is typed at this table any more: the session is closed, or its rules cannot score."),
    "tick_elsewhere": _("This page was used for another hanchan. Load it again."),
    # Drawing
    "wrong_number": _("The format is played by %(least)s to %(most)s players, but there are %(number)s."),
    "wrong_number_exactly": _("Exactly %(most)s players are needed, but there are %(number)s."),
    "not_in_stage": _("%(name)s does not play in this stage. Choose from the list."),
    "missing_in_draw": _("%(name)s has no block yet. Choose one."),
    "twice": _("%(name)s is named twice. Choose everybody once."),
    "played": _("This cannot be changed any more: a result was entered already."),
    "block_size": _("Block %(block)s has room for %(size)s players, but %(number)s were put into it. Move some."),
    # Planning
    "not_drawn": _("Draw the blocks of this stage first; then its tables can be planned."),
    "not_known": _("It is not known yet who plays in this stage. Approve the stages before it first."),
    "planned_already": _("Session %(number)s is planned already. Choose a date only for the others."),
    "planned_already_block": _(
        "Session %(number)s of block %(block)s is planned already. Choose a date only for the others."
    ),
    "uneven": _(
        "%(number)s players do not fill tables of %(size)s. Call in a substitute, or put results in without a plan."
    ),
    "table_size": _("%(rules)s are not for the tables of this format. Choose other rules for the tournament first."),
    "seating": _("The tables could not be put together from these players. Check who plays in the stage."),
    "linked_already": _("%(session)s counts in a stage already. Take it out there first."),
    "no_such_stage": _("The format has no such stage or block. Choose from the list."),
    "no_such_table": _("Table %(table)s is not planned in this session. Choose from the list."),
    "not_by_standing": _("The tables of this stage do not follow from the standings; they are planned all at once."),
    "not_planned": _("There is no session for the next hanchan yet. Plan session %(number)s first."),
    "round_unfinished": _(
        "Results of the rounds so far are missing or do not fit the plan. Enter or correct them, or write why you go on without."
    ),
    "all_planned": _("Every hanchan of this stage is planned already."),
    # Directing the hall
    "timer_minutes": _("The timer runs from 1 to %(most)s minutes. Type another number."),
    "timer_unset": _("No timer is set. Set it first."),
    "timer_extra": _("A table is given 1 to %(most)s minutes more in all. Choose fewer."),
    # Deciding
    "reason_missing": _("Write why: this differs from what was proposed or decided before."),
    "proposal_changed": _("Meanwhile the standings have changed. Look at the new proposal, then approve."),
    "not_played": _("The stage is not played to the end. Enter the missing results first."),
    "level": _("Nothing separates %(names)s. Put them in order first."),
    "goes_elsewhere": _(
        "%(name)s goes to %(to)s by a decision. Choose “Decide anew” there and leave %(name)s out first."
    ),
    "has_withdrawn": _("%(name)s has withdrawn. Choose somebody else."),
    "revoked": _("This decision does not stand any more. Look at the newest one."),
    "nothing_short": _("No planned hanchan of %(name)s is left in this stage, so there is no table to be settled."),
    "no_substitute": _("Choose who comes in as the substitute."),
    "no_rules_for_three": _("Playing on with three needs rules for three players. Choose some for the league first."),
    "three_needed": _("At one of these tables there would not be three players left. Choose another way to go on."),
    "substitute_played": _("%(name)s has played in this place already. If %(name)s leaves too, let %(name)s withdraw."),
    "seat_taken": _("%(name)s sits at another table in the same hanchan. Choose somebody else."),
    "not_running": _("Nothing is drawn yet: simply take the player off the list of entries."),
    "not_level": _("These players are not level any more. Look at the standings."),
    "decided_already": _("Who goes on from this stage is decided. Reopen the stage first."),
    "nothing_to_reopen": _("Nothing was decided in this stage, so there is nothing to reopen."),
    "closed_already": _("Nothing of this stage is left to be played, so it is closed already. Look at who goes on."),
    "not_over": _("Not every stage is decided yet. Approve the last one first."),
}


def tournament_error_sentence(error: Exception, format_: Format | None = None) -> str:
    """Return what is wrong, and how to mend it. `error`: a TournamentError, or what seating cannot do."""
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

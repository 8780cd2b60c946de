from collections.abc import Mapping

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from league.messages import joined
from scoring.messages.errors import quoted
from tournaments.core.format import Fill, Format, SeatingMethod
from tournaments.core.problems import FAULTS, FormatProblem
from tournaments.messages.formats import sizes_sentence
from tournaments.messages.titles import block_name, destination_label

SENTENCES: Mapping[str, object] = {
    # Preparing
    "no_rules": gettext_lazy("Choose the league's rules first. Every tournament needs rules."),
    "rules_incomplete": gettext_lazy("%(rules)s is incomplete. Complete it under Rules first, or choose other rules."),
    "key_taken": gettext_lazy("Another tournament of the league uses the address “%(key)s”. Choose another one."),
    "drawn": gettext_lazy("Entries are closed. From now on, players withdraw and substitutes can replace them."),
    "not_in_league": gettext_lazy("%(name)s is not a player in this league. Choose from the list."),
    "full": gettext_lazy("The format allows at most %(most)s players, but there would be %(number)s. Leave some out."),
    "entered_already": gettext_lazy("%(name)s has already entered and cannot be a substitute. Choose another player."),
    "seed_twice": gettext_lazy("Seed %(seed)s is used twice. Give each seed to one player."),
    # Registering
    "registration_closed": gettext_lazy("Registration is closed. Ask the organiser."),
    "registration_soon": gettext_lazy("Registration has not started yet. Come back later."),
    "registration_refused": gettext_lazy("The organisers refused this registration. If this is a mistake, ask them."),
    "registration_flood": gettext_lazy(
        "Too many people have registered through this link, so it is closed. Ask the organiser."
    ),
    "not_yours": gettext_lazy("This name is in the league's list of players. Ask an organiser to change it."),
    "not_waiting": gettext_lazy("%(name)s is no longer on the waiting list. Check the list."),
    "not_registered": gettext_lazy("%(name)s has no valid registration. Restore it first."),
    "check_in_closed": gettext_lazy("Check-in is not open. Ask the organiser."),
    # At a table
    "tick_ahead": gettext_lazy("The previous hanchan has no result yet. Enter it first."),
    "too_many_ticks": gettext_lazy("Too much was entered for this hanchan. Enter its result instead."),
    "ticker_closed": gettext_lazy(
        "This table no longer accepts input: the session is closed or its rules are incomplete."
    ),
    "tick_elsewhere": gettext_lazy("This page has since been used for another hanchan. Reload it."),
    # Drawing
    "wrong_number": gettext_lazy("This format is for %(least)s to %(most)s players, but there are %(number)s."),
    "wrong_number_exactly": gettext_lazy("Exactly %(most)s players are needed, but there are %(number)s."),
    "not_in_stage": gettext_lazy("%(name)s does not play in this stage. Choose from the list."),
    "missing_in_draw": gettext_lazy("%(name)s has no block. Choose one."),
    "twice": gettext_lazy("%(name)s is chosen twice. Choose each player once."),
    "played": gettext_lazy("This can no longer be changed, because a result has been entered."),
    "block_size": gettext_lazy("Block %(block)s has %(size)s spots but %(number)s players. Move some."),
    # Planning
    "not_drawn": gettext_lazy("Draw the blocks of this stage first; then plan its tables."),
    "not_known": gettext_lazy("The players of this stage are not known yet. Approve the earlier stages first."),
    "planned_already": gettext_lazy("Session %(number)s is already planned. Choose dates only for the others."),
    "planned_already_block": gettext_lazy(
        "Session %(number)s of block %(block)s is already planned. Choose dates only for the others."
    ),
    "uneven": gettext_lazy(
        "%(number)s players do not fill tables of %(size)s. Add a substitute, or enter results without a plan."
    ),
    "table_size": gettext_lazy(
        "%(rules)s does not match the table size of this format. Choose other rules, or add some to the league first."
    ),
    "seating": gettext_lazy("No tables could be formed from these players. Check who plays in the stage."),
    "linked_already": gettext_lazy("%(session)s already counts in a stage. Remove it there first."),
    "no_such_stage": gettext_lazy("The format has no such stage or block. Choose from the list."),
    "no_such_table": gettext_lazy("Table %(table)s is not planned in this session. Choose from the list."),
    "not_by_standing": gettext_lazy("The tables of this stage do not depend on the standings. Plan them all at once."),
    "not_planned": gettext_lazy("There is no session for the next hanchan. Plan session %(number)s first."),
    "round_unfinished": gettext_lazy(
        "Some results of earlier rounds are missing or do not match the plan. Enter or correct them, or give "
        "a reason for continuing."
    ),
    "all_planned": gettext_lazy("All hanchan of this stage are already planned."),
    # Directing the hall
    "timer_minutes": gettext_lazy("A timer can run for 1 to %(most)s minutes. Enter another number."),
    "timer_unset": gettext_lazy("No timer is set. Set one first."),
    "timer_extra": gettext_lazy("A table can get 1 to %(most)s extra minutes in total. Choose fewer."),
    # Deciding
    "reason_missing": gettext_lazy("Enter a reason, because this differs from the proposal or the earlier decision."),
    "proposal_changed": gettext_lazy("The standings have changed. Check the new proposal, then approve."),
    "not_played": gettext_lazy("This stage is not finished. Enter the missing results first."),
    "level": gettext_lazy("%(names)s are tied. Decide their order first."),
    "goes_elsewhere": gettext_lazy(
        "%(name)s advances to %(to)s by a decision. First choose “Decide again” there and leave %(name)s out."
    ),
    "has_withdrawn": gettext_lazy("%(name)s has withdrawn. Choose another player."),
    "revoked": gettext_lazy("This decision is no longer valid. See the latest one."),
    "nothing_short": gettext_lazy("%(name)s has no planned hanchan left in this stage, so there is nothing to decide."),
    "no_substitute": gettext_lazy("Choose a substitute."),
    "no_rules_for_three": gettext_lazy(
        "To continue with three players, the league needs three-player rules. Add some first."
    ),
    "three_needed": gettext_lazy(
        "At one of these tables there would be fewer than three players. Choose another way to continue."
    ),
    "substitute_played": gettext_lazy(
        "%(name)s has already played in this spot. If %(name)s leaves too, record a withdrawal of %(name)s."
    ),
    "played_there": gettext_lazy(
        "%(to)s has begun, so %(name)s can neither leave nor join it. Choose a substitute, or leave the spot vacant."
    ),
    "left_since": gettext_lazy("%(name)s moved up and has withdrawn since. Undo that withdrawal first."),
    "seat_taken": gettext_lazy("%(name)s sits at another table in the same hanchan. Choose another player."),
    "not_running": gettext_lazy("Nothing has been drawn yet: remove the player from the list of entries."),
    "not_level": gettext_lazy("These players are no longer tied. Check the standings."),
    "decided_already": gettext_lazy("Advancement from this stage is already decided. Reopen the stage first."),
    "nothing_to_reopen": gettext_lazy("This stage has no decisions, so there is nothing to reopen."),
    "closed_already": gettext_lazy(
        "All hanchan of this stage are played, so it is already closed. Check who advances."
    ),
    "not_over": gettext_lazy("Not all stages are decided. Approve the last one first."),
}


def tournament_error_sentence(error: Exception, format_: Format | None = None) -> str:
    """Return the message for a TournamentError or a seating error."""
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


def format_problem_sentence(problem: FormatProblem) -> str:
    facts = {name: value if name == "choices" else quoted(value) for name, value in problem.values.items()}
    text = _(FAULTS[problem.code]) % facts
    return _("%(path)s: %(problem)s") % {"path": problem.path, "problem": text} if problem.path else text


def fit_sentence(number: int, format_: Format) -> str:
    sizes, stage = format_.entrants, format_.stages[0]
    missing = max(0, sizes.least - number)
    tables = sum(size // format_.table_size for size in stage.block_sizes(number) or [number])
    facts = {"number": number, "least": sizes.least, "missing": missing, "tables": tables}
    if not number:
        return sizes_sentence(sizes)
    if missing and sizes.least == sizes.most:
        return _("%(number)s players: %(missing)s short of %(least)s.") % facts
    if missing:
        return _("%(number)s players: %(missing)s short of the format's minimum of %(least)s.") % facts
    if resting := resting_sentence(number, format_):
        if (len(stage.blocks) > 1 and stage.fill is not Fill.ORDER) or stage.seating is SeatingMethod.FIXED:
            return resting
        facts |= {"to_fill": -number % format_.table_size, "left_over": number % format_.table_size}
        hint = _("With %(to_fill)s more or %(left_over)s fewer, all tables are full.") % facts
        return _("%(first)s %(second)s") % {"first": resting, "second": hint}
    return _("%(number)s players, %(tables)s tables: ready to start.") % facts


def resting_sentence(number: int, format_: Format) -> str:
    """Return who sits out if the tables of the first stage are not full, or an empty string."""
    stage, size = format_.stages[0], format_.table_size
    sizes = stage.block_sizes(number) or [number]
    resting = sum(block % size for block in sizes)
    if not resting or format_.entrants.least == format_.entrants.most:
        return ""
    if stage.seating is SeatingMethod.FIXED:
        return str(SENTENCES["uneven"]) % {"number": number, "size": size}
    odd = [key for key, block in zip(stage.block_keys, sizes, strict=False) if block % size]
    uneven = any(stage.planned * (block % size) % block for block in sizes)
    everyone = _("Some play fewer hanchan than others.") if uneven else _("Everyone takes a turn.")
    turns = {SeatingMethod.BALANCED: everyone, SeatingMethod.MANUAL: _("You decide who.")}
    turn = turns.get(stage.seating, _("The lowest-ranked sit out first."))
    if len(stage.blocks) > 1:
        names = [_("class %(block)s") % {"block": key} if stage.fill is Fill.ORDER else block_name(key) for key in odd]
        turn = _("In %(blocks)s, some play fewer hanchan.") if uneven else _("Everyone in %(blocks)s takes a turn.")
        turn %= {"blocks": joined(names)}
    text = ngettext(
        "%(number)s players: %(resting)s sits out in each hanchan and gets 0 points for it. %(turn)s",
        "%(number)s players: %(resting)s sit out in each hanchan and get 0 points for it. %(turn)s",
        resting,
    )
    return text % {"number": number, "resting": resting, "turn": turn}

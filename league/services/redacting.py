"""The one lawful way to change what was said and decided: texts go, and the history stays provable. docs/adr/0048."""

import json
import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.apps import apps
from django.db import models, transaction
from django.db.models import QuerySet
from django.utils import timezone

from league.core.chain import SALT, Fact, FactName, cut, digest_of, text_digests
from league.models import ChainLink, League, Redaction
from league.models.growing import FactKind, fact_kinds
from league.selectors.chain import is_as_redacted, read_facts, redactions_of
from league.services.chain import add_link, lock_chain
from league.services.history import WRITTEN_TOGETHER, Actor

NEVER = ""
"""The digest of a fact that had been tampered with before: whatever it says, the chain goes on telling."""

LINKS_TOGETHER = 2
"""So many links are read in one step of many: a thousand facts, which nobody waits for who enters a result."""

NewTexts = Callable[[FactKind, int, Fact], Fact]
"""Gives a fact as it is to stand from its kind, its number and how it stands; the same one where nothing goes."""


@dataclass(frozen=True, slots=True)
class Wish:
    """What is to go: `among` gives those of some facts, their numbers by kind, that may have to change."""

    among: Callable[[Mapping[str, Sequence[int]]], Mapping[str, Sequence[int]]]
    texts: NewTexts


@dataclass(frozen=True, slots=True)
class Redacted:
    """A fact before and after, and what of its row is another."""

    kind: FactKind
    number: int
    before: Fact
    after: Fact

    @property
    def name(self) -> FactName:
        """How the chain names it."""
        return self.kind.name, self.number

    @property
    def changed(self) -> dict[str, Any]:
        """The columns that are others, with what they hold from now on."""
        return {column: value for column, value in self.after.items() if value != self.before[column]}


@transaction.atomic
def redact(league: League, asked: Mapping[str, Sequence[int]], texts: NewTexts, by: Actor, reason: str) -> int:
    """Replace texts in facts of a league's history and log it; return how many facts are others now.

    `asked`: the numbers of facts that may have to change, by kind; only what `texts` gives another of does. Nothing but
    texts may differ, at the same places. Everything that waits is chained before, and nobody chains meanwhile.
    """
    lock_chain(league.pk)
    while add_link(league.pk).facts:
        pass
    wanted = {each.name: each for each in _wanted(league, asked, texts)}
    if wanted:
        _redact(league, wanted, _links(ChainLink.objects.filter(league=league)).iterator(50), by, reason)
    return len(wanted)


@transaction.atomic
def redact_next(league: League, after: int, wish: Wish, by: Actor, reason: str) -> int | None:
    """Replace texts in the facts of the next few links behind a number; return the last link, None where none is left.

    For who has much to replace: each step reads and locks no more than a few links. What waits is chained on the way.
    """
    lock_chain(league.pk)
    links = list(_links(ChainLink.objects.filter(league=league, number__gt=after))[:LINKS_TOGETHER])
    if not links:
        return after if add_link(league.pk).facts else None
    held: dict[str, list[int]] = {}
    for each in links:
        for kind, number in each.facts:
            held.setdefault(kind, []).append(number)
    wanted = {each.name: each for each in _wanted(league, wish.among(held), wish.texts)}
    if wanted:
        _redact(league, wanted, links, by, reason)
    return links[-1].number


def _redact(
    league: League, wanted: Mapping[FactName, Redacted], links: Iterable[ChainLink], by: Actor, reason: str
) -> None:
    earlier = redactions_of(league.pk, wanted)
    made: list[Redaction] = []
    salts: dict[int, bytes] = {}
    for link in links:
        held, digests = cut(bytes(link.salts), SALT), cut(bytes(link.digests))
        for place, (kind, number) in enumerate(link.facts):
            if (each := wanted.get((kind, number))) is not None:
                new = secrets.token_bytes(SALT)
                known = earlier.get(each.name)
                made.append(_logged(league, each, known, _Chained(held[place], digests[place], new), by, reason))
                held[place] = new
                salts[link.pk] = b""
        if link.pk in salts:
            salts[link.pk] = b"".join(held)
    _carry_out(made, wanted, salts)


@dataclass(frozen=True, slots=True)
class _Chained:
    """What a link holds of a fact, and the salt that it will have."""

    salt: bytes
    digest: bytes
    new: bytes


def _wanted(league: League, asked: Mapping[str, Sequence[int]], texts: NewTexts) -> Iterator[Redacted]:
    kinds = {each.name: each for each in fact_kinds}
    for name, numbers in asked.items():
        found = read_facts(league.pk, [(name, number) for number in numbers])
        for (_, number), before in found.items():
            after = texts(kinds[name], number, before)
            if after != before:
                yield Redacted(kinds[name], number, before, after)


def _links(rows: QuerySet[ChainLink]) -> QuerySet[ChainLink]:
    return rows.order_by("number").only("number", "facts", "digests", "salts")


def _logged(
    league: League, each: Redacted, known: Redaction | None, chained: _Chained, by: Actor, reason: str
) -> Redaction:
    """Return the redaction of a fact, unsaved. What its texts were chained as stays what the first one wrote down."""
    is_sound = digest_of(each.before, chained.salt) == chained.digest
    is_sound = is_sound or is_as_redacted(each.before, chained.salt, chained.digest, known)
    return Redaction(
        league=league,
        kind=each.kind.name,
        fact=each.number,
        by=by.user,
        by_name=by.name,
        reason=reason,
        texts=known.texts if known else text_digests(each.before, chained.salt),
        digest=digest_of(each.after, chained.new).hex() if is_sound else NEVER,
    )


def _changed_alike(wanted: Iterable[Redacted]) -> dict[tuple[str, str], list[Redacted]]:
    """Return the facts that one statement can change: of a table, and with the same texts from now on."""
    found: dict[tuple[str, str], list[Redacted]] = {}
    for each in wanted:
        found.setdefault((each.kind.model, json.dumps(each.changed, sort_keys=True)), []).append(each)
    return found


def _carry_out(made: Sequence[Redaction], wanted: Mapping[FactName, Redacted], salts: Mapping[int, bytes]) -> None:
    """Open the redactions, change what they tell of, and close them: the database lets nothing else through.

    Some at a time: for every row the database looks through all that are open.
    """
    for first in range(0, len(made), WRITTEN_TOGETHER):
        opened = Redaction.objects.bulk_create(made[first : first + WRITTEN_TOGETHER])
        for (name, _), alike in _changed_alike(wanted[each.kind, each.fact] for each in opened).items():
            model: type[models.Model] = apps.get_model(name)
            model._base_manager.filter(pk__in=[each.number for each in alike]).update(**alike[0].changed)
        links = [ChainLink(pk=pk, salts=joined) for pk, joined in salts.items()] if first == 0 else []
        ChainLink.objects.bulk_update(links, ["salts"], WRITTEN_TOGETHER)
        Redaction.objects.filter(pk__in=[each.pk for each in opened]).update(closed_at=timezone.now())

"""The chain of a league's history as it is read: its head, its days, and whether everything is as it was chained."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from operator import attrgetter
from typing import Any

from django.apps import apps
from django.db.models import Count, Min, QuerySet

from league.core.chain import BEGINNING, GONE, SALT, Fact, FactName, Link, cut, digest_of, digest_without_texts
from league.models import ChainLink, League, Redaction, UnchainedFact
from league.models.growing import FactKind, fact_kinds

LINKS_TOGETHER = 50
"""So many links are read at a time."""

ROWS_TOGETHER = 1_000


def head_of(league: League) -> ChainLink | None:
    """Return the newest link of a league's chain, without what it holds; None before the first. One query."""
    return _without_facts(league).order_by("-number").first()


def link_with(league: League, head: str) -> ChainLink | None:
    """Return the link whose hash begins with a head that somebody noted; None if the chain has none. One query."""
    # Hexadecimal digits end with f: all that begin with the head lie between it and the head with a g.
    return _without_facts(league).filter(hash__gte=head, hash__lt=head + "g").order_by("number").first()


def heads_by_day(league: League, most: int) -> list[ChainLink]:
    """Return the last link of each of the latest days on which there was one, newest first. Two queries."""
    days: dict[Any, int] = {}
    moments = league.chain.order_by("-number").values_list("number", "at")
    for number, at in moments.iterator(ROWS_TOGETHER):
        if days.setdefault(league.day_of(at), number) and len(days) > most:
            break
    return list(_without_facts(league).filter(number__in=list(days.values())[:most]).order_by("-number"))


def _without_facts(league: League) -> QuerySet[ChainLink]:
    return ChainLink.objects.filter(league=league).defer("facts", "digests", "salts")


# --- Facts -----------------------------------------------------------------------------------------------------------


def read_facts(league_id: int, names: Iterable[FactName]) -> dict[FactName, Fact]:
    """Return those of the facts that there are in the league, by name. One query for each kind."""
    wanted = defaultdict[str, list[int]](list)
    for kind, number in names:
        wanted[kind].append(number)
    found: dict[FactName, Fact] = {}
    for each in fact_kinds:
        if numbers := wanted.get(each.name):
            rows = rows_of(each, league_id).filter(pk__in=numbers).values_list("pk", *each.columns)
            found |= {(each.name, key): dict(zip(each.columns, values, strict=True)) for key, *values in rows}
    return found


def rows_of(kind: FactKind, league_id: int) -> Any:
    """Return the rows of a league that are facts of this kind, in no order."""
    rows = apps.get_model(kind.model)._base_manager.filter(**{kind.to_league: league_id}).order_by()
    return rows.exclude(**{kind.completes: None}) if kind.completes else rows


def redactions_of(league_id: int, names: Iterable[FactName]) -> dict[FactName, Redaction]:
    """Return the latest redaction of each of these facts that has one. One query."""
    wanted = set(names)
    rows = Redaction.objects.filter(league=league_id, fact__in={fact for _, fact in wanted}).order_by("pk")
    return {name: row for row in rows if (name := (row.kind, row.fact)) in wanted}


@dataclass(frozen=True, slots=True)
class RedactionNote:
    """That texts of so many facts were lawfully taken out, when and by whom, and why."""

    at: datetime
    by_name: str
    reason: str
    facts: int

    def __str__(self) -> str:
        """Return it as a command tells it."""
        who = self.by_name or "the system"
        return f"texts of {self.facts} facts were lawfully redacted on {self.at:%Y-%m-%d %H:%M} UTC by {who}: {self.reason}"


def redactions_in(league: League) -> list[RedactionNote]:
    """Return what was lawfully taken out of a league's history, by who did it and why, the earliest first. One query."""
    rows = Redaction.objects.filter(league=league).values("by_name", "reason").order_by()
    counted = rows.annotate(facts=Count("pk"), first=Min("at"))
    notes = [RedactionNote(row["first"], row["by_name"], row["reason"], row["facts"]) for row in counted]
    return sorted(notes, key=attrgetter("at"))


def is_as_redacted(fact: Fact, salt: bytes, digest: bytes, redaction: Redaction | None) -> bool:
    """Return whether a fact is what a redaction left of what was chained, and says what it has said since."""
    return (
        redaction is not None
        and digest_without_texts(fact, redaction.texts) == digest
        and digest_of(fact, salt).hex() == redaction.digest
    )


# --- Whether the chain holds -----------------------------------------------------------------------------------------


SENTENCES = {
    "changed": "was changed after it was chained",
    "deleted": "is in the chain and not in the history any more",
    "gone": "was gone before it could be chained",
    "inserted": "is in the history and neither chained nor waiting to be: it came past the database's guards",
    "number": "does not carry the number that follows: links were taken out or put in another order",
    "broken": "does not follow from the link before it: something before it was replaced",
    "rewritten": "does not say what its hash says: it was changed",
    "head": "is no head of this chain: what was chained up to it was cut off or replaced since",
}


@dataclass(frozen=True, slots=True)
class ChainFault:
    """Something that is not as it was chained. `code` says what, `link` where in the chain, `fact` which one."""

    code: str
    link: int = 0
    fact: FactName | None = None

    def __str__(self) -> str:
        subject = f"{self.fact[0]} {self.fact[1]}" if self.fact else "the noted head"
        if self.link:
            subject = f"{subject}, in link {self.link}," if self.fact else f"link {self.link}"
        return f"{subject} {SENTENCES[self.code]}"


def check_chain(league: League, head: str = "") -> Iterator[ChainFault]:
    """Yield whatever is not as it was chained; nothing where all is well. Reads the league's whole history in parts.

    `head`: the beginning of a hash that somebody noted. Without one, links that were cut off the end together with
    their facts leave no trace. Others may go on storing meanwhile.
    """
    kept = {kind.name: _KeptFacts(rows_of(kind, league.pk)) for kind in fact_kinds}
    number, previous = 0, BEGINNING
    for links in _in_parts(league, after=0):
        found = read_facts(league.pk, [(kind, number) for link in links for kind, number in link.facts])
        redacted = redactions_of(league.pk, found)
        for stored in links:
            link = _link(stored)
            yield from _faults_of_link(stored, link, number, previous)
            yield from _faults_of_facts(stored, link, found, redacted)
            number, previous = link.number, stored.hash
        for kind, numbers in _held(links).items():
            if kind in kept:
                kept[kind].meet(max(numbers))
                kept[kind].numbers -= numbers
    yield from _unchained(league, kept, number)
    if head and link_with(league, head) is None:
        yield ChainFault("head")


def _in_parts(league: League, after: int) -> Iterator[list[ChainLink]]:
    """Yield the links behind a number, a few at a time."""
    while links := list(league.chain.filter(number__gt=after).order_by("number")[:LINKS_TOGETHER]):
        yield links
        after = links[-1].number


@dataclass(slots=True)
class _KeptFacts:
    """The facts of a kind that were met in the history and in no link so far.

    Links hold facts nearly in the order of their numbers, so both are gone through side by side: what is kept is what
    came out of turn, however long the history is.
    """

    rows: Any
    numbers: set[int] = field(default_factory=set)
    met: int = 0

    def meet(self, last: int | None = None) -> None:
        """Take note of the facts with the numbers that follow, up to the last, or all."""
        rows = self.rows if last is None else self.rows.filter(pk__lte=last)
        while found := list(rows.filter(pk__gt=self.met).order_by("pk").values_list("pk", flat=True)[:ROWS_TOGETHER]):
            self.numbers.update(found)
            self.met = found[-1]


def _held(links: Iterable[ChainLink]) -> dict[str, set[int]]:
    """Return the numbers of the facts in these links, by kind."""
    held = defaultdict[str, set[int]](set)
    for kind, number in (fact for stored in links for fact in stored.facts):
        held[kind].add(number)
    return held


def _link(stored: ChainLink) -> Link:
    facts = [(kind, number) for kind, number in stored.facts]
    return Link(stored.number, stored.at, stored.previous, facts, cut(bytes(stored.digests)))


def _faults_of_link(stored: ChainLink, link: Link, number: int, previous: str) -> Iterator[ChainFault]:
    if link.number != number + 1:
        yield ChainFault("number", link.number)
    if link.previous != previous:
        yield ChainFault("broken", link.number)
    if link.hash() != stored.hash or len(link.facts) != len(link.digests):
        yield ChainFault("rewritten", link.number)


def _faults_of_facts(
    stored: ChainLink, link: Link, found: dict[FactName, Fact], redacted: dict[FactName, Redaction]
) -> Iterator[ChainFault]:
    salts = cut(bytes(stored.salts), SALT)
    if not len(link.facts) == len(link.digests) == len(salts):
        return
    for name, digest, salt in zip(link.facts, link.digests, salts, strict=True):
        fact = found.get(name)
        if digest == GONE:
            yield ChainFault("gone", link.number, name)
        elif fact is None:
            yield ChainFault("deleted", link.number, name)
        elif digest_of(fact, salt) != digest and not is_as_redacted(fact, salt, digest, redacted.get(name)):
            yield ChainFault("changed", link.number, name)


def _unchained(league: League, kept: dict[str, _KeptFacts], last: int) -> Iterator[ChainFault]:
    """Yield what is in the history and in no link, and does not wait for one either.

    What came meanwhile waits, or is in a link that has come meanwhile: those are looked for in this order.
    """
    for kind, facts in kept.items():
        facts.meet()
        waiting = UnchainedFact.objects.filter(league=league, kind=kind)
        facts.numbers.difference_update(waiting.values_list("fact", flat=True).iterator(ROWS_TOGETHER))
    for links in _in_parts(league, after=last):
        held = _held(links)
        for kind, facts in kept.items():
            facts.numbers -= held.get(kind, set())
    for kind, facts in kept.items():
        for number in sorted(facts.numbers):
            yield ChainFault("inserted", fact=(kind, number))

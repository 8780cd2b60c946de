"""Results as lines of text, as in chats and reports: `A(+45.0) B(+9.0) C(-20.0) D(-34.0)`."""

import io
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from league.core.imports.records import GameRecord, SeatRecord, Texts
from league.core.numbers import half_width
from league.core.spreadsheets.dates import DATE, clock_of, days_in
from league.core.spreadsheets.headers import MAX_SEATS, MIN_SEATS
from league.core.spreadsheets.layouts import LOG, Recognised
from league.core.spreadsheets.numbers import parse_number
from league.core.spreadsheets.tables import FileRow

MAX_LINE = 400
"""Longest line that is parsed."""

LOOKED_AT = 200
"""Number of lines examined to recognise a log."""

_IN_BRACKETS = re.compile(r"\(([^()]{1,24})\)")
_PLACE = re.compile(r"(?<!\d)([1-4])\s*(?:位|着|st|nd|rd|th)\s*[:.]?\s*", re.IGNORECASE)
_CHIPS = re.compile(r"\([^()]*(?:/\s*[-+]?\d|,\s*[-+]\d|\.\d+\s*,\s*\d|枚)[^()]*\)")
"""A score with chips. Without any, a comma is a decimal comma: players who lose chips have negative ones."""

_POINTS = r"(?P<points>[-+]?\s?(?:\d{1,3}(?:,\d{3})+|\d{1,6})(?:[.%s]\d{1,3})?)\s*(?:pts?|p|点)?"
_SCORE = re.compile(_POINTS % ",", re.IGNORECASE)
_SCORE_AND_CHIPS = re.compile(_POINTS % "" + r"(?:\s*[,/]\s*(?P<chips>[-+]?\d{1,3})\s*枚?)?", re.IGNORECASE)
_NUMBERING = re.compile(r"(?:#\s*\d{1,4}|第?\s*\d{1,4}\s*(?:回戦|戦|半荘目?)|\d{1,4}[.)])[\s:]*", re.ASCII)
_CLOSING = re.compile(r"[\]】]")
_STAMPED = (_CLOSING, re.compile(r"[\[【]?\s*\d{1,2}:\d{2}(?::\d{2})?", re.ASCII), _CLOSING, _NUMBERING)
"""What may stand between a date and the first name, in this order, e.g. [2026/6/14 01:10] 1."""

_LISTED_AT_START = re.compile(r"^\d{1,2}[.)]\s*", re.ASCII)
_LISTED_AT_END = re.compile(r"\d{1,2}[.)]\s*$", re.ASCII)
_BESIDE = " \t,、/|・:;→>-"
_DIVIDES = re.compile(r"[|\t,]")


class LoggedScore(NamedTuple):
    """A player in a line: name, points and chips as written, and placement if given (else 0)."""

    name: str
    points: str
    chips: str = ""
    place: int = 0


class LoggedGame(NamedTuple):
    line: int
    scores: list[LoggedScore]
    days: Texts


def read_log(text: str) -> Recognised | None:
    """Return the games of a log; None if the text is not a log."""
    walk, seen = _Walk(_SCORE_AND_CHIPS if _CHIPS.search(half_width(text)) else _SCORE), 0
    for number, line in enumerate(io.StringIO(text, newline=None), start=1):
        if line.strip():
            seen += 1
            walk.take(number, line)
        if seen == LOOKED_AT and not walk.is_log(seen):
            return None
    walk.finish()
    if seen < LOOKED_AT and not walk.is_log(seen):
        return None
    days = [game.days["date"] for game in walk.games if "date" in game.days]
    day = "stamp" if days and all(map(clock_of, days)) else "date"
    in_places = all(map(_goes_down, walk.games))
    games = [_record(game, day, in_places=in_places) for game in walk.games]
    return Recognised(LOG, games, passed_over=walk.passed_over)


def _record(game: LoggedGame, day: str, *, in_places: bool) -> GameRecord:
    seats = []
    for seat, score in enumerate(game.scores):
        texts = {"player": score.name, "raw": score.points} | ({"chips": score.chips} if score.chips else {})
        seats.append(SeatRecord(game.line, texts, None if in_places else seat))
    return GameRecord({day if key == "date" else key: text for key, text in game.days.items()}, seats)


@dataclass(slots=True)
class _Walk:
    pattern: re.Pattern[str]
    games: list[LoggedGame] = field(default_factory=list)
    passed_over: list[FileRow] = field(default_factory=list)
    days: Texts = field(default_factory=dict)
    began: int = 0
    begun: list[LoggedScore] = field(default_factory=list)

    def is_log(self, seen: int) -> bool:
        return bool(self.games) and len(self.passed_over) * 2 <= seen

    def take(self, number: int, line: str) -> None:
        plain = unicodedata.normalize("NFKC", line).strip() if len(line) <= MAX_LINE else ""
        before, scores = _scores(plain, self.pattern)
        if len(scores) == 1 and scores[0].place:
            if scores[0].place != len(self.begun) + 1:
                self.finish()
            if not self.begun:
                self.began = number
            self.begun.append(scores[0])
            return
        self.finish()
        if MIN_SEATS <= len(scores) <= MAX_SEATS:
            self.days |= days_in(before)
            self.games.append(LoggedGame(number, scores, {**self.days}))
        elif not scores and (days := days_in(plain)):
            self.days |= days
        else:
            self.passed_over.append(FileRow(number, (line.strip(),)))

    def finish(self) -> None:
        if len(self.begun) >= MIN_SEATS:
            self.games.append(LoggedGame(self.began, self.begun, {**self.days}))
        else:
            self.passed_over += [FileRow(self.began, (score.name, score.points)) for score in self.begun]
        self.begun = []


def _scores(plain: str, pattern: re.Pattern[str]) -> tuple[str, list[LoggedScore]]:
    """Return the text before the first name and the players of a line; no players unless all have a score."""
    if len(_PLACE.findall(plain)) in {1, MIN_SEATS, MAX_SEATS}:
        before, *pieces = _PLACE.split(plain)
        found = [_placed(int(place), text, pattern) for place, text in zip(pieces[::2], pieces[1::2], strict=True)]
    else:
        before, found = _bracketed(plain, pattern)
    scores = [score for score in found if score is not None]
    return before, scores if len(scores) == len(found) else []


def _placed(place: int, text: str, pattern: re.Pattern[str]) -> LoggedScore | None:
    _before, found = _bracketed(text, pattern)
    if len(found) == 1 and found[0] is not None:
        return found[0]._replace(place=place)
    name, _, score = text.strip(_BESIDE).rpartition(" ")
    return _score(name, score, pattern, place)


def _bracketed(plain: str, pattern: re.Pattern[str]) -> tuple[str, list[LoggedScore | None]]:
    """Return the text before the first name and the bracketed scores; None for a malformed one."""
    pieces = _IN_BRACKETS.split(plain)
    names, inside, rest = pieces[:-1:2], pieces[1::2], pieces[-1]
    if not inside or rest.strip(_BESIDE):
        return "", []
    before, first = _name_at_end(names[0])
    bare = _unlisted(before, [first, *names[1:]])
    return before, [_score(name, score, pattern) for name, score in zip(bare, inside, strict=True)]


def _unlisted(before: str, names: Sequence[str]) -> list[str]:
    """Remove list numbers (1. A 2. B) if all names have one; the first may already be cut off."""
    plain = [name.strip(_BESIDE) for name in names]
    bare = [_LISTED_AT_START.sub("", name) for name in plain]
    is_counted = [name != short for name, short in zip(plain, bare, strict=True)]
    is_counted[0] = is_counted[0] or bool(_LISTED_AT_END.search(before))
    return bare if len(names) > 1 and all(bare) and all(is_counted) else plain


def _name_at_end(text: str) -> tuple[str, str]:
    """Split off the name at the end of a text from the date, time or game number before it."""
    cut = max((found.end() for found in _DIVIDES.finditer(text)), default=0)
    day = DATE.search(text, cut)
    at = day.end() if day else cut
    for pattern in _STAMPED:
        found = pattern.match(text, at + len(text[at:]) - len(text[at:].lstrip(_BESIDE)))
        at = found.end() if found else at
    return text[:at], text[at:]


def _score(name: str, score: str, pattern: re.Pattern[str], place: int = 0) -> LoggedScore | None:
    found, plain = pattern.fullmatch(half_width(score).strip()), name.strip(_BESIDE)
    if found is None or not plain or _DIVIDES.search(plain):
        return None
    return LoggedScore(plain, found["points"].replace(" ", ""), found.groupdict().get("chips") or "", place)


def _goes_down(game: LoggedGame) -> bool:
    points = [parse_number(score.points) or 0 for score in game.scores]
    return points == sorted(points, reverse=True)

import random
from collections.abc import Iterator, Sequence
from datetime import date, datetime, time, timedelta

ABROAD = ("Anna Lind", "Bo Krag", "Cleo Marsh", "Dan Ruiz", "Edda Holm", "Finn Baker", "Gia Rossi", "Hugo Stone")
AT_HOME = ("青木", "石田", "上野", "江口", "小川", "加藤", "木村", "久保")

FORM_ROWS, FORM_SLIPS = 272, 24
SHEET_ROWS = 223
Game = tuple[date, tuple[str, ...], tuple[int, ...]]


def games(count: int, names: Sequence[str], first: date, seed: int = 13) -> Iterator[Game]:
    """Yield (day, names East to North, raw scores), eight hanchan every Saturday from the given day."""
    chance = random.Random(seed)
    for number in range(count):
        raw = [25_000 + chance.randint(-60, 70) * 100 for _ in range(3)]
        yield (
            first + timedelta(days=7 * (number // 8)),
            tuple(chance.sample(list(names), 4)),
            (*raw, 100_000 - sum(raw)),
        )


def form_answers(*, with_dates: bool = True) -> str:
    """Return rows of another club's form: timestamped when submitted, one in eleven with a wrong total."""
    head = ["Timestamp", *(["Date played"] if with_dates else [])]
    head += [f"{wind[0]} Player,{wind} points" for wind in ("East", "South", "West", "North")]
    lines = [",".join([*head, "Riichi sticks left", "Comments"])]
    slips = set(random.Random(272).sample(range(FORM_ROWS), FORM_SLIPS))
    for number, (day, names, raw) in enumerate(games(FORM_ROWS, ABROAD, date(2025, 3, 1))):
        typed = datetime.combine(day, time(18)) + timedelta(minutes=50 * (number % 8) + 72)
        sticks = 1000 if number % 10 == 4 else 0
        scores = list(raw)
        scores[0] -= sticks + (7700 if number in slips else 0)
        cells = [f"{typed.month}/{typed.day}/{typed.year} {typed:%H:%M:%S}"]
        cells += [f"{day.month}/{day.day}/{day.year}"] if with_dates else []
        cells += [f"{name},{score}" for name, score in zip(names, scores, strict=True)]
        lines.append(",".join([*cells, str(sticks or ""), "late start" if number % 9 == 0 else ""]))
    return "\n".join(lines) + "\n"


def dated_sheet() -> str:
    lines = ["Date,East,Points,South,Points,West,Points,North,Points,Sticks"]
    for number, (day, names, raw) in enumerate(games(SHEET_ROWS, ABROAD, date(2025, 11, 1))):
        written = f"{day:%Y-%m-%d}" if number % 40 == 7 else f"{day:%y-%m-%d}"
        seats = ",".join(f"{name},{score}" for name, score in zip(names, raw, strict=True))
        lines.append(f"{written},{seats},")
    return "\n".join(lines) + "\n"


def club_sheet() -> bytes:
    lines = ["日付,回戦,起家,名前,点,名前,点,名前,点,名前,点"]
    for number, (day, names, raw) in enumerate(games(96, AT_HOME, date(2025, 4, 5))):
        turned = [(seat + number) % 4 for seat in range(4)]
        seats = ",".join(f"{names[seat]},{_marked(raw[seat] // 100)}" for seat in turned)
        lines.append(f"{day.month}月{day.day}日,{number % 8 + 1},{names[0]},{seats}")
    return ("\r\n".join(lines) + "\r\n").encode("cp932")


def _marked(score: int) -> str:
    return f"▲{-score}" if score < 0 else str(score).translate(str.maketrans("0123456789", "０１２３４５６７８９"))


def lobby_log(count: int = 40) -> str:
    lines, last = [], None
    for day, names, raw in games(count, AT_HOME, date(2026, 5, 2), seed=9):
        if day != last:
            lines += ["", f"{day:%Y/%m/%d}"]
            last = day
        lines.append(" ".join(f"{name}({points:+.1f})" for name, points in _settled(names, raw)))
    return "\n".join(lines) + "\n"


def _settled(names: Sequence[str], raw: Sequence[int]) -> Iterator[tuple[str, float]]:
    for place, seat in enumerate(sorted(range(4), key=lambda seat: (-raw[seat], seat))):
        uma, oka = (30, 10, -10, -30)[place], 20 if place == 0 else 0
        yield names[seat], (raw[seat] - 30_000) / 1000 + uma + oka

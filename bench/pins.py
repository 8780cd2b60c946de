"""Counts of the smallest size that miss their goal, at their present value: they may not become worse.

A line goes when its goal is met; the table says so. Growth depends a little on the day of the month.
"""

PINS: dict[str, float] = {
    "P5 queries of board of a range, 50 rows": 13,
    "P5 queries of board of a range, 200 rows": 14,
    "P5 queries of player, 50 rows": 21,
    "P5 queries of player, 200 rows": 21,
    "P5 queries of tournament": 14,
    "P5 queries of stage": 21,
    "P5 queries of projector": 18,
    # Since what a year's sessions came to, and which rules are used how often, is counted when it is asked for.
    "P7 rows touched, growth in percent: sessions": 550,
    "P7 rows touched, growth in percent: session": 1_150,
    "P7 rows touched, growth in percent: rules": 720,
}

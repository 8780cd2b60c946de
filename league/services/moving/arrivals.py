"""What apps above have to do where a league arrives, with those whom its rows name; they register it when they are loaded."""

from collections.abc import Callable, Collection

Arrival = Callable[[int, Collection[int]], None]
"""Takes the number of the league and those of the people. It works in the database where the league arrives."""

_on_arrival: list[Arrival] = []


def register_arrival(function: Arrival) -> None:
    """Have a function called whenever a league arrives, once however often it is registered."""
    if function not in _on_arrival:
        _on_arrival.append(function)


def arrive(league: int, people: Collection[int]) -> None:
    """Have everything done for a league that is about to live in the present database.

    Within the transaction in which it arrives, when its rows are there and compared, while nobody can store anything in it
    where it was.
    """
    for function in _on_arrival:
        function(league, people)

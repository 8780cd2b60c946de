"""The head of a column of the sheet as its page shows it."""

from __future__ import annotations

from dataclasses import dataclass

from django.utils.safestring import SafeString

from league.forms.grid.columns import ColumnForm
from league.messages import plain_name
from league.models import Player
from league.services.entry import Seated


@dataclass(frozen=True, slots=True)
class ColumnOnPage:
    """A column with the field in which its player is chosen. `describes_guest`: the problem is the name of the guest."""

    key: str
    guest: str
    person: Seated | None
    select: SafeString
    problem: str
    problem_id: str
    describes_guest: bool

    @property
    def name(self) -> str:
        return plain_name(self.person) if self.person else ""

    @property
    def is_settled(self) -> bool:
        """Whether it is clear who that is, so that nothing needs to be chosen."""
        return isinstance(self.person, Player) and not self.problem

    @classmethod
    def of(cls, form: ColumnForm) -> ColumnOnPage:
        return cls(
            form.key,
            form.guest_name,
            form.person,
            form["player"].as_widget(),
            form.problem,
            form.problem_id,
            "guest" in form.errors,
        )

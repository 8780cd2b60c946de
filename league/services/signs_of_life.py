"""Workers say that they are there, so that a host sees which of them is not."""

from django.utils import timezone

from league.models import SignOfLife


def note_sign_of_life(name: str) -> None:
    """Note that a worker of this queue does something now. One statement."""
    sign = SignOfLife(name=name, seen_at=timezone.now())
    SignOfLife.objects.bulk_create([sign], update_conflicts=True, unique_fields=["name"], update_fields=["seen_at"])

"""What a site keeps besides its leagues, and where somebody's name may have come to stand: forms, log, sessions."""

from collections.abc import Sequence
from urllib.parse import quote

from django.apps import apps
from django.contrib.sessions.backends.db import SessionStore
from django.contrib.sessions.models import Session
from django.utils import timezone

from league.core.masking import Mask
from league.models import SentForm
from league.services.erasing.tables import TextTable, holding, mask_rows

texts_beside: list[tuple[str, tuple[str, ...]]] = [("admin.LogEntry", ("object_repr", "change_message"))]
"""Tables of no league, with their columns of texts; other apps add theirs when they are loaded."""


def mask_beside(wanted: Sequence[str], mask: Mask) -> int:
    """Put the mask over what the site keeps besides; return how many rows are others or gone now.

    `wanted`: the names as they may be written. Sessions are read one by one, as they are packed.
    """
    tables = (TextTable(apps.get_model(label), "", columns) for label, columns in texts_beside)
    changed = sum(mask_rows(table, table.model._base_manager.order_by("pk"), wanted, mask) for table in tables)
    # Where a form led: an address may have a name in what was asked for.
    forms, _ = holding(SentForm.objects.all(), ("answer",), [*wanted, *map(quote, wanted)]).delete()
    return changed + forms + _mask_sessions(wanted)


def _mask_sessions(wanted: Sequence[str]) -> int:
    """Forget what waits in sessions with a name in it, as a form for which nobody has shown yet who they are."""
    lasting = Session.objects.filter(expire_date__gt=timezone.now()).order_by("pk")
    changed = 0
    for each in lasting.iterator(500):
        held = each.get_decoded()
        left = {key: value for key, value in held.items() if not _tells(value, wanted)}
        if left != held:
            # Whoever is there meanwhile has stored something newer, which nobody overwrites.
            same = Session.objects.filter(pk=each.pk, session_data=each.session_data)
            changed += same.update(session_data=SessionStore().encode(left))
    return changed


def _tells(value: object, wanted: Sequence[str]) -> bool:
    return any(form in str(value) for name in wanted for form in (name, quote(name)))

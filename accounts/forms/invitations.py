from datetime import datetime, timedelta
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from accounts.core.limits import MAX_LABEL_LENGTH, MAX_USES
from accounts.services.invitations import WantedInvitation
from league.core.periods import moment_on
from league.core.spelling import cleaned
from league.forms.names import PlayerField
from league.models import League, Membership, Player

EVENING = "evening"
MAY = {
    Membership.Role.OWNER: _("everything, including roles"),
    Membership.Role.ORGANISER: _("everything except roles"),
    Membership.Role.REFEREE: _("settles disputed results"),
    Membership.Role.SCORER: _("enters results"),
    Membership.Role.PLAYER: _("reads, confirms own results"),
}
"""What each role may do."""
UNTIL = ((EVENING, _("tonight")), ("14", _("14 days")), ("60", _("60 days")))


class InvitationForm(forms.Form):
    """An invitation: role, player, number of people and expiry."""

    role = forms.ChoiceField(label=_("Role"), widget=forms.RadioSelect)
    player = PlayerField(
        label=_("Player"),
        queryset=Player.objects.none(),
        required=False,
        empty_label=_("no specific player"),
        help_text=_("The person who joins becomes this player immediately. The list shows players without an account."),
    )
    label = forms.CharField(
        label=_("Note"),
        required=False,
        max_length=MAX_LABEL_LENGTH,
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
        help_text=_("Helps you tell your invitations apart. The invited person does not see it."),
    )
    most_uses = forms.IntegerField(
        label=_("Number of people"),
        min_value=1,
        max_value=MAX_USES,
        initial=1,
        widget=forms.NumberInput(attrs={"inputmode": "numeric"}),
        help_text=_("One link works for a whole group: enter how many people it is for."),
    )
    until = forms.ChoiceField(label=_("Valid for"), choices=UNTIL, initial="14")

    def __init__(self, *args: Any, league: League, roles: tuple[Membership.Role, ...], **options: Any) -> None:
        super().__init__(*args, **options)
        self.league = league
        self.fields["role"].choices = [(role.value, f"{role.label}: {MAY[role]}") for role in roles]  # type: ignore[attr-defined]
        self.fields["role"].initial = Membership.Role.PLAYER
        players = league.players.active().filter(user=None).by_reading()
        self.fields["player"].queryset = players  # type: ignore[attr-defined]

    def clean_label(self) -> str:
        return cleaned(self.cleaned_data["label"])

    def clean(self) -> dict[str, Any]:
        """Raise ValidationError if several people would be linked to one player."""
        values = super().clean() or self.cleaned_data
        if values.get("player") is not None and values.get("most_uses", 1) > 1:
            text = _(
                "An invitation for a specific player works for one person only. Create one per player, or do not "
                "choose a player."
            )
            self.add_error("most_uses", ValidationError(text))
        return values

    def wanted(self) -> WantedInvitation:
        chosen = self.cleaned_data
        return WantedInvitation(
            role=chosen["role"],
            player=chosen["player"],
            label=chosen["label"],
            most_uses=chosen["most_uses"],
            expires_at=_end_of(self.league, chosen["until"]),
        )


def _end_of(league: League, until: str) -> datetime:
    """Return the expiry: the end of the league day, or some days from now."""
    now = timezone.now()
    if until != EVENING:
        return now + timedelta(days=int(until))
    tomorrow = league.day_of(now) + timedelta(days=1)
    return moment_on(tomorrow, league.day_boundary, league.time_zone, league.day_boundary)

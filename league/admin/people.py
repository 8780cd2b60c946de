"""Players with their aliases, and memberships, which the host may end. Everything is changed on the league's own pages."""

from django.contrib import admin, messages
from django.db import models
from django.http import HttpRequest

from league.admin.reading import ReadOnlyAdmin, ReadOnlyInline, by
from league.messages.people import people_sentence
from league.models import Membership, Player, PlayerAlias
from league.services.people import PeopleError, remove_member


class AliasInline(ReadOnlyInline):
    model = PlayerAlias


@admin.register(Player)
class PlayerAdmin(ReadOnlyAdmin):
    inlines = (AliasInline,)


@admin.register(Membership)
class MembershipAdmin(ReadOnlyAdmin):
    def has_delete_permission(self, request: HttpRequest, obj: models.Model | None = None) -> bool:
        """Return False for the only owner's membership."""
        if isinstance(obj, Membership) and obj.role == Membership.Role.OWNER:
            owners = Membership.objects.filter(league=obj.league, role=Membership.Role.OWNER)
            if owners.count() == 1:
                return False
        return admin.ModelAdmin.has_delete_permission(self, request, obj)

    def delete_model(self, request: HttpRequest, obj: Membership) -> None:
        try:
            remove_member(membership=obj, by=by(request))
        except PeopleError as error:
            self.message_user(request, people_sentence(error.code, error.values), messages.ERROR)

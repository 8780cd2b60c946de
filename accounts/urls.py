"""Addresses of what is somebody's own, and of the ways into a league."""

from django.urls import path

from accounts.views import account, claims, invitations, joining, leaving, my_page, own_data

app_name = "accounts"

urlpatterns = [
    # One's own
    path("me/", my_page.me, name="me"),
    path("account/", account.account, name="account"),
    path("account/data/", own_data.own_data, name="own_data"),
    path("account/delete/", leaving.delete, name="delete"),
    # The way in
    path("join/", joining.join_kept, name="join_kept"),
    path("join/<str:code>/", joining.join, name="join"),
    path("l/<slug:slug>/p/<int:pk>/claim/", claims.claim, name="claim"),
    # Organisers
    path("l/<slug:slug>/manage/invitations/", invitations.index, name="invitations"),
    path("l/<slug:slug>/manage/invitations/<int:pk>/", invitations.detail, name="invitation"),
    path("l/<slug:slug>/manage/invitations/<int:pk>/revoke/", invitations.revoke, name="invitation_revoke"),
    path("l/<slug:slug>/manage/claims/<int:pk>/", claims.answer, name="claim_answer"),
]

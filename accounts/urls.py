from django.urls import path

from accounts.views import account, beginning, calendars, claims, invitations, joining, my_page, notices

app_name = "accounts"

urlpatterns = [
    # Personal pages
    path("me/", my_page.me, name="me"),
    path("account/", account.account, name="account"),
    path("account/data/", account.own_data, name="own_data"),
    path("account/delete/", account.delete, name="delete"),
    # Log-in and sign-up
    path("begin/", beginning.begin, name="begin"),
    path("join/", joining.join_kept, name="join_kept"),
    path("join/<str:code>/", joining.join, name="join"),
    path("l/<slug:slug>/me/", claims.who, name="who"),
    path("l/<slug:slug>/p/<int:pk>/claim/", claims.claim, name="claim"),
    # Organisers
    path("l/<slug:slug>/manage/invitations/", invitations.index, name="invitations"),
    path("l/<slug:slug>/manage/invitations/<int:pk>/", invitations.detail, name="invitation"),
    path("l/<slug:slug>/manage/invitations/<int:pk>/revoke/", invitations.revoke, name="invitation_revoke"),
    path("l/<slug:slug>/manage/claims/<int:pk>/", claims.answer, name="claim_answer"),
    # Notices and calendars
    path("account/notices/", notices.index, name="notices"),
    path("account/notices/stop/<str:code>/", notices.stop, name="notices_stop"),
    path("account/calendar/", calendars.change, name="calendar_change"),
    path("l/<slug:slug>/calendar.ics", calendars.of_league, name="calendar"),
    # Access by secret URL
    path("calendar/<str:secret>/all.ics", calendars.mine, name="calendar_mine"),
    path("calendar/<str:secret>/seats.ics", calendars.seats, name="calendar_seats"),
    path("calendar/<str:secret>/league-<int:number>.ics", calendars.by_secret, name="calendar_by_secret"),
]

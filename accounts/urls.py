"""Addresses of what is somebody's own."""

from django.urls import path

from accounts.views import calendars, notices

app_name = "accounts"

urlpatterns = [
    path("account/notices/", notices.index, name="notices"),
    path("account/notices/stop/<str:code>/", notices.stop, name="notices_stop"),
    path("account/calendar/", calendars.change, name="calendar_change"),
    path("l/<slug:slug>/calendar.ics", calendars.of_league, name="calendar"),
    # The secret is the permission
    path("calendar/<str:secret>/all.ics", calendars.mine, name="calendar_mine"),
    path("calendar/<str:secret>/seats.ics", calendars.seats, name="calendar_seats"),
    path("calendar/<str:secret>/league-<int:number>.ics", calendars.by_secret, name="calendar_by_secret"),
]

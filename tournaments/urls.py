"""Addresses of tournaments: below their league, with the stage and the block by name."""

from django.urls import path

from tournaments.views import directing, overview, seating, setup, wall

app_name = "tournaments"

urlpatterns = [
    path("l/<slug:slug>/tournaments/", overview.index, name="index"),
    path("l/<slug:slug>/tournaments/new/", setup.new, name="new"),
    path("l/<slug:slug>/manage/seating/", seating.tool, name="seating_tool"),
    # What everybody sees
    path("l/<slug:slug>/t/<slug:key>/", overview.tournament, name="tournament"),
    path("l/<slug:slug>/t/<slug:key>/stage/<slug:stage>/", overview.stage, name="stage"),
    path("l/<slug:slug>/t/<slug:key>/format/", overview.format_, name="format"),
    path("l/<slug:slug>/t/<slug:key>/results/", overview.results, name="results"),
    path("l/<slug:slug>/t/<slug:key>/seating/", seating.seating, name="seating"),
    path("l/<slug:slug>/t/<slug:key>/certificate/<slug:stage>/", seating.certificate, name="certificate"),
    path("l/<slug:slug>/t/<slug:key>/wall/", wall.wall, name="wall"),
    path("l/<slug:slug>/t/<slug:key>/wall/state/", wall.state, name="wall_state"),
    # Preparing
    path("l/<slug:slug>/t/<slug:key>/settings/", setup.edit, name="edit"),
    path("l/<slug:slug>/t/<slug:key>/entries/", setup.entries, name="entries"),
    path("l/<slug:slug>/t/<slug:key>/entries/<int:pk>/remove/", setup.remove_entry, name="entry_remove"),
    path("l/<slug:slug>/t/<slug:key>/draw/<slug:stage>/", setup.draw, name="draw"),
    path("l/<slug:slug>/t/<slug:key>/plan/<slug:stage>/", setup.plan, name="plan"),
    path("l/<slug:slug>/t/<slug:key>/sessions/link/", setup.link, name="link"),
    path("l/<slug:slug>/t/<slug:key>/sessions/<int:pk>/unlink/", setup.unlink, name="unlink"),
    # Directing
    path("l/<slug:slug>/t/<slug:key>/inbox/", directing.inbox, name="inbox"),
    path("l/<slug:slug>/t/<slug:key>/approve/<slug:stage>/", directing.approve, name="approve"),
    path("l/<slug:slug>/t/<slug:key>/decisions/<int:pk>/keep/", directing.keep, name="keep"),
    path("l/<slug:slug>/t/<slug:key>/reopen/<slug:stage>/", directing.reopen, name="reopen"),
    path("l/<slug:slug>/t/<slug:key>/order/<slug:stage>/", directing.order, name="order"),
    path("l/<slug:slug>/t/<slug:key>/withdraw/", directing.withdraw, name="withdraw"),
    path("l/<slug:slug>/t/<slug:key>/sessions/<int:pk>/postpone/", directing.postpone, name="postpone"),
    path("l/<slug:slug>/t/<slug:key>/next-round/<slug:stage>/", directing.next_round, name="next_round"),
    path("l/<slug:slug>/t/<slug:key>/finish/", directing.finish, name="finish"),
]

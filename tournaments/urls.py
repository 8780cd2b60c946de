from django.urls import path

from tournaments.views import (
    approval,
    cards,
    decisions,
    draws,
    inbox,
    overview,
    planning,
    projector,
    registering,
    registrations,
    remote,
    seating,
    setup,
    ticker,
)

app_name = "tournaments"

urlpatterns = [
    path("l/<slug:slug>/tournaments/", overview.index, name="index"),
    path("l/<slug:slug>/tournaments/new/", setup.new, name="new"),
    path("l/<slug:slug>/manage/seating/", seating.tool, name="seating_tool"),
    path("l/<slug:slug>/manage/export/json/", overview.export_league, name="export"),
    # Public pages
    path("l/<slug:slug>/t/<slug:key>/", overview.tournament, name="tournament"),
    path("l/<slug:slug>/t/<slug:key>/stage/<slug:stage>/", overview.stage, name="stage"),
    path("l/<slug:slug>/t/<slug:key>/what-if/<slug:stage>/", overview.what_if, name="what_if"),
    path("l/<slug:slug>/t/<slug:key>/odds/", overview.odds, name="odds"),
    path("l/<slug:slug>/t/<slug:key>/format/", overview.format_, name="format"),
    path("l/<slug:slug>/t/<slug:key>/needs.json", overview.needs, name="needs"),
    path("l/<slug:slug>/t/<slug:key>/results/", overview.results, name="results"),
    path("l/<slug:slug>/t/<slug:key>/seating/", seating.seating, name="seating"),
    path("l/<slug:slug>/t/<slug:key>/certificate/<slug:stage>/", seating.certificate, name="certificate"),
    path("l/<slug:slug>/t/<slug:key>/wall/", projector.projector, name="projector"),
    path("l/<slug:slug>/t/<slug:key>/wall/state/", projector.state, name="projector_state"),
    path("l/<slug:slug>/t/<slug:key>/overlay/", projector.overlay, name="overlay"),
    # Remote control of the wall, and hall messages
    path("l/<slug:slug>/t/<slug:key>/remote/", remote.remote, name="remote"),
    path("l/<slug:slug>/t/<slug:key>/remote/timer/", remote.timer, name="remote_timer"),
    path("l/<slug:slug>/t/<slug:key>/remote/calls/<int:pk>/", remote.call, name="remote_call"),
    path("l/<slug:slug>/t/<slug:key>/remote/ready/", remote.ready, name="remote_ready"),
    path("e/<str:token>/hall/", remote.hall, name="hall"),
    # Share pictures
    path("l/<slug:slug>/t/<slug:key>/card.png", cards.tournament, name="tournament_card"),
    path("l/<slug:slug>/t/<slug:key>/stage/<slug:stage>/card.png", cards.stage, name="stage_card"),
    # Registering
    path("l/<slug:slug>/t/<slug:key>/register/", registering.register, name="register"),
    path("register/<str:token>/", registering.register_by_link, name="register_by_link"),
    path("registration/<str:token>/", registering.own_registration, name="own_registration"),
    path("check-in/<str:token>/", registering.door, name="check_in"),
    # Table ticker
    path("e/<str:token>/ticker/", ticker.by_link, name="ticker_by_link"),
    path("l/<slug:slug>/sessions/<int:pk>/ticker/", ticker.of_table, name="ticker"),
    # Preparing
    path("l/<slug:slug>/t/<slug:key>/settings/", setup.edit, name="edit"),
    path("l/<slug:slug>/t/<slug:key>/directors/", setup.directors, name="directors"),
    path("l/<slug:slug>/t/<slug:key>/directors/<int:pk>/remove/", setup.remove, name="director_remove"),
    path("l/<slug:slug>/t/<slug:key>/entries/", setup.entries, name="entries"),
    path("l/<slug:slug>/t/<slug:key>/entries/<int:pk>/remove/", setup.remove_entry, name="entry_remove"),
    path("l/<slug:slug>/t/<slug:key>/registrations/", registrations.registrations, name="registrations"),
    path(
        "l/<slug:slug>/t/<slug:key>/registrations/posters/",
        registering.registration_posters,
        name="registration_posters",
    ),
    path("l/<slug:slug>/t/<slug:key>/registrations/terms/", registrations.terms, name="registration_terms"),
    path(
        "l/<slug:slug>/t/<slug:key>/registrations/<int:pk>/",
        registrations.change_registration,
        name="registration_change",
    ),
    path("l/<slug:slug>/t/<slug:key>/draw/<slug:stage>/", draws.draw, name="draw"),
    path("l/<slug:slug>/t/<slug:key>/plan/<slug:stage>/", planning.plan, name="plan"),
    path("l/<slug:slug>/t/<slug:key>/sessions/link/", planning.link, name="link"),
    path("l/<slug:slug>/t/<slug:key>/redraw/<slug:stage>/", planning.redraw, name="redraw"),
    path("l/<slug:slug>/t/<slug:key>/sessions/<int:pk>/unlink/", planning.unlink, name="unlink"),
    # Directing
    path("l/<slug:slug>/t/<slug:key>/inbox/", inbox.inbox, name="inbox"),
    path("l/<slug:slug>/t/<slug:key>/approve/<slug:stage>/", approval.approve, name="approve"),
    path("l/<slug:slug>/t/<slug:key>/decisions/<int:pk>/keep/", decisions.keep, name="keep"),
    path("l/<slug:slug>/t/<slug:key>/reopen/<slug:stage>/", decisions.reopen, name="reopen"),
    path("l/<slug:slug>/t/<slug:key>/close/<slug:stage>/", decisions.close, name="close"),
    path("l/<slug:slug>/t/<slug:key>/order/<slug:stage>/", decisions.order, name="order"),
    path("l/<slug:slug>/t/<slug:key>/withdraw/", decisions.withdraw, name="withdraw"),
    path("l/<slug:slug>/t/<slug:key>/sessions/<int:pk>/postpone/", planning.postpone, name="postpone"),
    path("l/<slug:slug>/t/<slug:key>/next-round/<slug:stage>/", inbox.next_round, name="next_round"),
    path("l/<slug:slug>/t/<slug:key>/step/<slug:stage>/", inbox.step, name="step"),
    path("l/<slug:slug>/t/<slug:key>/finish/", setup.finish, name="finish"),
]

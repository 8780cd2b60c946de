"""Addresses of a league: readable, stable, the language in front."""

from django.urls import path

from league.views import (
    confirming,
    correction,
    entry,
    exports,
    hanchan,
    leagues,
    links,
    manage,
    people,
    players,
    receipts,
    rules,
    seats,
    session_points,
    sessions,
    standings,
    tables,
)

app_name = "league"

urlpatterns = [
    path("", leagues.home, name="home"),
    path("glossary/", leagues.glossary, name="glossary"),
    path("l/<slug:slug>/", leagues.league_home, name="league_home"),
    # Leaderboards
    path("l/<slug:slug>/standings/", standings.current, name="standings_current"),
    path("l/<slug:slug>/standings/<str:scope>/", standings.board, name="standings"),
    path("l/<slug:slug>/standings/<str:scope>/state/", standings.board_state, name="standings_state"),
    path("l/<slug:slug>/standings/<str:scope>/csv/", standings.board_csv, name="standings_csv"),
    # Entry
    path("l/<slug:slug>/enter/", entry.choose, name="enter"),
    path("l/<slug:slug>/sessions/<int:pk>/enter/", entry.enter, name="enter_session"),
    path("l/<slug:slug>/sessions/<int:pk>/enter/preview/", entry.preview, name="enter_preview"),
    path("l/<slug:slug>/sessions/<int:pk>/enter/state/", tables.enter_state, name="enter_state"),
    path("l/<slug:slug>/g/<int:pk>/done/", receipts.receipt, name="receipt"),
    path("l/<slug:slug>/g/<int:pk>/confirm/", confirming.confirm, name="confirm"),
    path("l/<slug:slug>/g/<int:pk>/undo/", receipts.undo, name="undo"),
    path("l/<slug:slug>/g/<int:pk>/correct/", correction.correct, name="correct"),
    path("l/<slug:slug>/g/<int:pk>/correct/preview/", correction.correct_preview, name="correct_preview"),
    # Table links: the code is the permission
    path("e/<str:token>/", tables.table, name="table"),
    path("e/<str:token>/preview/", tables.preview, name="table_preview"),
    path("e/<str:token>/state/", tables.state, name="table_state"),
    path("e/<str:token>/done/<int:pk>/", tables.receipt, name="table_receipt"),
    path("e/<str:token>/undo/<int:pk>/", tables.undo, name="table_undo"),
    path("e/<str:token>/confirm/<int:pk>/", confirming.table_confirm, name="table_confirm"),
    # Hanchan and sessions
    path("l/<slug:slug>/g/<int:pk>/", hanchan.detail, name="hanchan"),
    path("l/<slug:slug>/g/<int:pk>/void/", hanchan.void, name="void"),
    path("l/<slug:slug>/g/<int:pk>/restore/", hanchan.restore, name="restore"),
    path("l/<slug:slug>/sessions/", sessions.index, name="sessions"),
    path("l/<slug:slug>/sessions/new/", sessions.new, name="session_new"),
    path("l/<slug:slug>/sessions/<int:pk>/", sessions.detail, name="session"),
    path("l/<slug:slug>/sessions/<int:pk>/edit/", sessions.edit, name="session_edit"),
    path("l/<slug:slug>/sessions/<int:pk>/state/", sessions.set_state, name="session_state"),
    path("l/<slug:slug>/sessions/<int:pk>/seats/", seats.plan, name="session_seats"),
    path("l/<slug:slug>/sessions/<int:pk>/links/", links.index, name="table_links"),
    path("l/<slug:slug>/sessions/<int:pk>/points/", session_points.enter, name="session_points"),
    path("l/<slug:slug>/manage/points/<int:pk>/withdraw/", session_points.withdraw, name="points_withdraw"),
    # People
    path("l/<slug:slug>/players/", players.index, name="players"),
    path("l/<slug:slug>/p/<int:pk>/", players.detail, name="player"),
    path("l/<slug:slug>/manage/players/new/", people.new, name="player_new"),
    path("l/<slug:slug>/manage/players/<int:pk>/", people.edit, name="player_edit"),
    path("l/<slug:slug>/manage/players/<int:pk>/merge/", people.merge, name="player_merge"),
    path("l/<slug:slug>/manage/players/<int:pk>/separate/", people.separate, name="player_separate"),
    # Rules
    path("l/<slug:slug>/rules/", rules.detail, name="rules"),
    path("l/<slug:slug>/rules/cards/<slug:key>/", rules.card, name="rules_card"),
    path("l/<slug:slug>/rules/<int:pk>/", rules.version, name="rules_version"),
    path("l/<slug:slug>/manage/rules/", rules.choose, name="rules_choose"),
    path("l/<slug:slug>/manage/rules/<int:pk>/edit/", rules.edit, name="rules_edit"),
    path("l/<slug:slug>/manage/rules/<int:pk>/edit/example/", rules.example, name="rules_example"),
    path("l/<slug:slug>/manage/rules/<int:pk>/use/", rules.use, name="rules_use"),
    path("l/<slug:slug>/manage/rules/<int:pk>/impact/", rules.impact, name="rules_impact"),
    path("l/<slug:slug>/manage/rules/<int:pk>/rescore/", rules.rescore, name="rules_rescore"),
    # In and out
    path("l/<slug:slug>/manage/export/", exports.export, name="export"),
    path("l/<slug:slug>/manage/export/file/", exports.export_file, name="export_file"),
    # Managing
    path("l/<slug:slug>/manage/", manage.index, name="manage"),
    path("l/<slug:slug>/manage/settings/", manage.settings, name="settings"),
    path("l/<slug:slug>/manage/members/", manage.members, name="members"),
    path("l/<slug:slug>/manage/members/<int:pk>/remove/", manage.remove_member, name="member_remove"),
    path("l/<slug:slug>/manage/adjustments/", manage.adjustments, name="adjustments"),
    path("l/<slug:slug>/manage/adjustments/<int:pk>/withdraw/", manage.withdraw, name="adjustment_withdraw"),
    path("l/<slug:slug>/manage/rebuild/", manage.rebuild, name="rebuild"),
    path("l/<slug:slug>/manage/history/", manage.history, name="history"),
    path("l/<slug:slug>/jobs/<int:pk>/", manage.job, name="job"),
    path("l/<slug:slug>/jobs/<int:pk>/cancel/", manage.cancel, name="job_cancel"),
    path("leagues/new/", leagues.new, name="league_new"),
]

"""Addresses of what is told of players and of their league, below it."""

from django.urls import path

from stats.views import cards, own_titles, players, ratings, records, titles

app_name = "stats"

urlpatterns = [
    path("l/<slug:slug>/p/<int:pk>/", players.detail, name="player"),
    path("l/<slug:slug>/records/", records.index, name="records"),
    path("l/<slug:slug>/titles/", titles.index, name="titles"),
    path("l/<slug:slug>/titles/own/", own_titles.index, name="own_titles"),
    path("l/<slug:slug>/titles/own/new/", own_titles.new, name="own_title_new"),
    path("l/<slug:slug>/titles/own/<int:pk>/", own_titles.edit, name="own_title"),
    path("l/<slug:slug>/titles/own/<int:pk>/withdraw/", own_titles.withdraw, name="own_title_withdraw"),
    path("l/<slug:slug>/p/<int:pk>/rating/", ratings.changes, name="rating_changes"),
    path("l/<slug:slug>/ratings/", ratings.index, name="ratings"),
    # Share pictures
    path("card.png", cards.site, name="site_card"),
    path("l/<slug:slug>/card.png", cards.league, name="league_card"),
    path("l/<slug:slug>/standings/<str:scope>/card.png", cards.board, name="board_card"),
    path("l/<slug:slug>/sessions/<int:pk>/card.png", cards.session, name="session_card"),
    path("l/<slug:slug>/g/<int:pk>/card.png", cards.hanchan, name="hanchan_card"),
    path("l/<slug:slug>/p/<int:pk>/card.png", cards.player, name="player_card"),
]

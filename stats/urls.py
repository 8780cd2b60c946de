from django.urls import path

from stats.exports.cards import BOARD, EVENING, HANCHAN, PLAIN, PLAYER, STORY
from stats.http.cards import card_view, site_picture
from stats.views import compare, players, ratings, records, searching, titles

app_name = "stats"

urlpatterns = [
    path("l/<slug:slug>/search/", searching.search, name="search"),
    path("l/<slug:slug>/p/<int:pk>/", players.detail, name="player"),
    path("l/<slug:slug>/records/", records.index, name="records"),
    path("l/<slug:slug>/titles/", titles.index, name="titles"),
    path("l/<slug:slug>/titles/own/", titles.own, name="own_titles"),
    path("l/<slug:slug>/titles/own/new/", titles.new, name="own_title_new"),
    path("l/<slug:slug>/titles/own/<int:pk>/", titles.edit, name="own_title"),
    path("l/<slug:slug>/titles/own/<int:pk>/withdraw/", titles.withdraw, name="own_title_withdraw"),
    path("l/<slug:slug>/p/<int:pk>/rating/", ratings.changes, name="rating_changes"),
    path("l/<slug:slug>/ratings/", ratings.index, name="ratings"),
    path("l/<slug:slug>/story/", records.stories, name="stories"),
    path("l/<slug:slug>/story/<str:period>/", records.story, name="story"),
    path("l/<slug:slug>/story/<str:period>/card.png", card_view(STORY), name="story_card"),
    # Share pictures
    path("card.png", site_picture, name="site_card"),
    path("l/<slug:slug>/card.png", card_view(PLAIN), name="league_card"),
    path("l/<slug:slug>/standings/<str:scope>/card.png", card_view(BOARD), name="board_card"),
    path("l/<slug:slug>/sessions/<int:pk>/card.png", card_view(EVENING), name="session_card"),
    path("l/<slug:slug>/g/<int:pk>/card.png", card_view(HANCHAN), name="hanchan_card"),
    path("l/<slug:slug>/p/<int:pk>/card.png", card_view(PLAYER), name="player_card"),
    path("l/<slug:slug>/players/compare/", compare.compare, name="compare"),
    path("l/<slug:slug>/players/matrix/", compare.matrix, name="matrix"),
    path("l/<slug:slug>/race/", compare.race, name="race"),
]

"""What the bench counts: what a page has a browser fetch, and how many rows the database touches."""

import gzip
import time

import pytest
from django.db import connection

from bench.visiting import cpu, one_process, queries, rows_touched
from bench.weight_bench import named_in
from league.models import Player
from tests.conftest import needs_postgresql
from tests.league.factories import make_league, make_players

PAGE = """
<link rel="stylesheet" href="/static/css/base.css"><link rel="canonical" href="/l/a/">
<link rel="manifest" href="/manifest.webmanifest"><link rel="modulepreload" href="/static/js/scores.js">
<script type="module" src="/static/js/entry.js" defer></script><script id="texts" type="application/json">{}</script>
<img alt="" src="data:image/gif;base64,R0lG"><img alt="Table 1" src="../picture/3/"><a href="/l/a/">League</a>
"""


def test_a_page_names_what_is_fetched_with_it_and_not_where_it_leads() -> None:
    assert named_in("/l/a/enter/", "text/html; charset=utf-8", PAGE) == [
        "/static/css/base.css",
        "/static/js/scores.js",
        "/static/js/entry.js",
        "/l/a/picture/3/",
    ]


def test_a_script_names_what_it_imports() -> None:
    text = (
        'import {a} from "./scores.js";\nimport "../b.js";\nconst c = await import("/static/js/c.js"); say("./no.js");'
    )
    found = named_in("/static/js/entry/entry.js", "text/javascript", text)
    assert found == ["/static/js/entry/scores.js", "/static/js/b.js", "/static/js/c.js"]


@pytest.mark.parametrize("media", ["text/css", "image/png"])
def test_other_files_name_nothing(media: str) -> None:
    assert named_in("/static/x", media, gzip.compress(b"").decode("latin-1")) == []


@needs_postgresql
@pytest.mark.django_db
def test_rows_touched_are_those_that_the_work_reads_and_writes() -> None:
    league = make_league()
    players = make_players(league, 6)
    assert rows_touched(lambda: None).total() == 0
    assert rows_touched(lambda: Player.objects.get(pk=players[0].pk)).total() == 1
    assert rows_touched(lambda: league.players.update(is_guest=True)).total() >= 12
    assert queries(lambda: list(league.players.all())) == 1


@needs_postgresql
@pytest.mark.django_db
def test_rows_are_told_by_statement_lists_of_any_length_alike_and_streams_too() -> None:
    league = make_league()
    players = make_players(league, 6)

    def few(number: int) -> None:
        # In no order: else the database may as well read all players in it, those of tests before too.
        list(Player.objects.order_by().filter(pk__in=[player.pk for player in players[:number]]).only("pk"))

    two, five = rows_touched(lambda: few(2)), rows_touched(lambda: few(5))
    assert set(two) == set(five)
    assert five.total() > two.total() > 0
    streamed = rows_touched(lambda: list(Player.objects.filter(pk__gte=0).iterator()))
    assert streamed["streams and COPY"] == streamed.total() > 0


@needs_postgresql
@pytest.mark.django_db
def test_what_the_database_works_is_in_the_cpu() -> None:
    with one_process(), connection.cursor() as cursor:
        begun, alone = cpu(), time.process_time()
        cursor.execute("SELECT COUNT(*) FROM generate_series(1, 1000000)")
        own = time.process_time() - alone
        assert cpu() - begun > own + 0.01

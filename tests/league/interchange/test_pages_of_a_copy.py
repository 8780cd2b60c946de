"""A league that came as a file has every page that the league had from which the file was written."""

from pathlib import Path

import pytest
from django.test import Client

from tests.journeys.crawl import crawl
from tests.league.factories import make_league, make_session, make_user, play, run

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


def brought_back(slug: str, folder: Path) -> Client:
    """Return an owner of a copy of a league that went out as a file and came in again."""
    file = folder / "league.json"
    file.write_text(run("export_league", slug), "utf-8")
    client = Client()
    client.force_login(make_user("newcomer"))
    run("import_league", str(file), slug="copy", by="newcomer", quiet=True)
    return client


def test_an_imported_league_has_its_history(tmp_path: Path) -> None:
    play(make_session(make_league()))
    client = brought_back("camarade", tmp_path)
    for page in ("manage", "manage/history"):
        told = client.get(f"/en/l/copy/{page}/").content.decode()
        assert "players" in told
        assert "<ins>4</ins>" in told


@pytest.mark.merge
@pytest.mark.parametrize("slug", ["camarade", "cinderella"])
def test_every_page_of_an_imported_league_opens(slug: str, tmp_path: Path, settings: object) -> None:
    settings.DEMO = True  # type: ignore[attr-defined]
    run("load_demo")
    client = brought_back(slug, tmp_path)
    found = crawl(client, "/l/copy/", within="/l/copy/")
    assert not found.refused, "\n".join(found.refused)
    assert {"league:manage", "league:history", "league:hanchan", "stats:player"} <= found.offered.keys()
    for number in range(2, 30):
        assert client.get("/l/copy/manage/history/", {"page": number}).status_code == 200

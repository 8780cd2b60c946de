"""The production stack, started from compose.yaml's own commands, beside the embedded site of `make run`."""

from collections.abc import Iterator

import pytest

from league.management.demo.people import PASSWORD
from tests.production.crawl import walk
from tests.production.stack import Site, started

Sites = tuple[Site, Site]


@pytest.fixture(scope="module")
def sites(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sites]:
    """A production site and an embedded one with the same leagues in them."""
    with started(tmp_path_factory.mktemp("stack")) as both:
        yield both


STARTS = ("/", "/l/camarade/", "/l/cinderella/", "/l/sanma/")


@pytest.mark.parametrize("name", ["", "ueno", "aoki"], ids=["anonymous", "scorer", "owner"])
def test_every_page_answers_as_on_the_embedded_site(sites: Sites, name: str) -> None:
    production, embedded = (site.visitor(name, PASSWORD) for site in sites)
    seen = walk(production, embedded, STARTS)
    print(seen.pages, seen.files)
    assert "\n".join(seen.faults) == ""

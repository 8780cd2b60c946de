import pytest
from django.contrib.auth.models import AnonymousUser
from django.core.paginator import Paginator
from django.template.loader import render_to_string
from django.test import RequestFactory
from django.utils.translation import override


@pytest.mark.parametrize(
    ("in_order", "said"), [(True, ("Previous page", "Next page")), (False, ("Newer", "Older"))], ids=["rows", "history"]
)
def test_pager_says_older_only_for_history(in_order: bool, said: tuple[str, str]) -> None:
    found = Paginator(range(30), 10).page(2)
    request = RequestFactory().get("/?page=2")
    request.user = AnonymousUser()
    with override("en"):
        text = render_to_string("league/manage/pager.html", {"found": found, "in_order": in_order}, request)
    assert all(word in text for word in said)
    assert ("Older" in text) is not in_order

"""The addresses: everything people see carries its language, machines' addresses do not."""

from django.conf import settings
from django.conf.urls.i18n import i18n_patterns
from django.contrib import admin
from django.contrib.auth.views import LoginView
from django.urls import include, path

from config.health import healthz
from league.management.demo.people import ACCOUNTS, PASSWORD

DEMO_LOGINS = [{"username": account.username, "password": PASSWORD, "role": account.role.label} for account in ACCOUNTS]
"""What the log-in page of a demonstration offers, and no other site."""

login = LoginView.as_view(
    extra_context={"demo_logins": DEMO_LOGINS if settings.DEMO else []}, redirect_authenticated_user=True
)

urlpatterns = [
    path("healthz", healthz, name="healthz"),
    *i18n_patterns(
        path("accounts/login/", login, name="login"),
        path("accounts/", include("django.contrib.auth.urls")),
        path("admin/", admin.site.urls),
        path("", include("tournaments.urls")),
        path("", include("stats.urls")),
        path("", include("league.urls")),
        prefix_default_language=False,
    ),
]

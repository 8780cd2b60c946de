"""URL configuration. Pages for people have a language prefix; machine endpoints have none."""

from django.conf.urls.i18n import i18n_patterns
from django.contrib import admin
from django.urls import include, path

from config.doors import doors_and_keys
from config.health import healthz
from league.views import host

handler500 = "config.errors.failed"

urlpatterns = [
    path("healthz", healthz, name="healthz"),
    path("metrics", host.metrics, name="metrics"),
    *i18n_patterns(
        path("accounts/", include(doors_and_keys)),
        path("admin/", admin.site.urls),
        path("", include("tournaments.urls")),
        path("", include("stats.urls")),
        path("", include("accounts.urls")),
        path("", include("league.urls")),
        prefix_default_language=False,
    ),
]

"""The addresses: everything people see carries its language, machines' addresses do not."""

from django.conf.urls.i18n import i18n_patterns
from django.contrib import admin
from django.contrib.auth.views import LoginView
from django.urls import include, path

from config.health import healthz

handler500 = "config.mishaps.failed"

urlpatterns = [
    path("healthz", healthz, name="healthz"),
    *i18n_patterns(
        path("accounts/login/", LoginView.as_view(redirect_authenticated_user=True), name="login"),
        path("accounts/", include("django.contrib.auth.urls")),
        path("admin/", admin.site.urls),
        path("", include("tournaments.urls")),
        path("", include("stats.urls")),
        path("", include("league.urls")),
        prefix_default_language=False,
    ),
]

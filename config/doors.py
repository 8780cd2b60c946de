"""The addresses of the way in and out, under the names by which Django and allauth look for them."""

from allauth.account.views import reauthenticate
from allauth.mfa.webauthn.views import reauthenticate_webauthn
from django.urls import URLPattern, URLResolver, include, path

from accounts.views import doors as views

doors: list[URLPattern | URLResolver] = [
    path("login/", views.LogInView.as_view(), name="login"),
    path("login/", views.LogInView.as_view(), name="account_login"),
    path("logout/", views.LogOutView.as_view(), name="logout"),
    path("logout/", views.LogOutView.as_view(), name="account_logout"),
    path("reauthenticate/", reauthenticate, name="account_reauthenticate"),
    path("reauthenticate/passkey/", reauthenticate_webauthn, name="mfa_reauthenticate_webauthn"),
    path("password_reset/", views.ResetView.as_view(), name="password_reset"),
    path("reset/<uidb64>/<token>/", views.NewPasswordView.as_view(), name="password_reset_confirm"),
    path("", include("django.contrib.auth.urls")),
]

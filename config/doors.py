"""URLs for log-in and log-out, under the names that Django and allauth use."""

from allauth.account.views import email_verification_sent, reauthenticate
from allauth.mfa.webauthn.views import reauthenticate_webauthn
from django.contrib.auth import views as django_views
from django.urls import path

from accounts.views import doors, security

doors_and_keys = [
    path("login/", doors.LogInView.as_view(), name="login"),
    path("login/", doors.LogInView.as_view(), name="account_login"),
    path("logout/", doors.LogOutView.as_view(), name="logout"),
    path("logout/", doors.LogOutView.as_view(), name="account_logout"),
    path("signup/", doors.SignUpView.as_view(), name="account_signup"),
    path("code/", doors.AskForCodeView.as_view(), name="account_request_login_code"),
    path("code/confirm/", doors.TypeCodeView.as_view(), name="account_confirm_login_code"),
    path("passkey/", security.PasskeyLogInView.as_view(), name="mfa_login_webauthn"),
    path("recover/", doors.RecoverView.as_view(), name="recover"),
    path("reauthenticate/", reauthenticate, name="account_reauthenticate"),
    path("reauthenticate/passkey/", reauthenticate_webauthn, name="mfa_reauthenticate_webauthn"),
    path("password_reset/", doors.ResetView.as_view(), name="password_reset"),
    path("password_reset/done/", django_views.PasswordResetDoneView.as_view(), name="password_reset_done"),
    path("reset/<uidb64>/<token>/", doors.NewPasswordView.as_view(), name="password_reset_confirm"),
    path("reset/done/", django_views.PasswordResetCompleteView.as_view(), name="password_reset_complete"),
    path("password_change/", doors.OtherPasswordView.as_view(), name="password_change"),
    path("password_change/done/", django_views.PasswordChangeDoneView.as_view(), name="password_change_done"),
    path("email/", security.AddressView.as_view(), name="account_email"),
    path("email/code/", email_verification_sent, name="account_email_verification_sent"),
    path("passkeys/", security.passkeys, name="mfa_list_webauthn"),
    path("passkeys/new/", security.NewPasskeyView.as_view(), name="mfa_add_webauthn"),
    path("recovery-codes/", doors.recovery_codes, name="recovery_codes"),
    path("devices/", security.devices, name="usersessions_list"),
    path("services/", security.connections, name="socialaccount_connections"),
    path("services/signup/", doors.ServiceSignUpView.as_view(), name="socialaccount_signup"),
    path("services/cancelled/", security.cancelled, name="socialaccount_login_cancelled"),
    path("line/login/", security.line_login, name="line_login"),
    path("line/login/callback/", security.line_callback, name="line_callback"),
    path("discord/login/", security.discord_login, name="discord_login"),
    path("discord/login/callback/", security.discord_callback, name="discord_callback"),
]

"""Django settings, read from the environment. docs/operating/settings.md lists the variables."""

import sys
from pathlib import Path
from typing import Any
from zoneinfo import available_timezones

import django_stubs_ext
from csp.constants import NONE, SELF
from django.core.exceptions import ImproperlyConfigured
from whitenoise.compress import Compressor  # type: ignore[import-untyped]

from config import databases, environment

# Makes forms and admin classes subscriptable, as the type checker expects.
django_stubs_ext.monkeypatch()

BASE_DIR = Path(__file__).resolve().parent.parent
VAR_DIR = Path(environment.text("VAR_DIR", str(BASE_DIR / "var")))

# --- Kind of deployment ----------------------------------------------------------------------------------------------

DEBUG = environment.switch("DEBUG", default=False)
DEMO = environment.switch("DEMO", default=False)
DEMO_LOGINS = "league.management.demo.people.demo_logins"
# Single process on one machine, as started by `make run`.
EMBEDDED = environment.switch("EMBEDDED", default=DEMO)
HTTPS = environment.switch("HTTPS", default=not (DEBUG or EMBEDDED))
SECRET_KEY = environment.secret("SECRET_KEY", VAR_DIR / "secret", may_be_short=DEBUG)
SECRET_KEY_FALLBACKS = environment.secrets("SECRET_KEY_FALLBACKS", may_be_short=DEBUG)
# Bearer tokens for the metrics endpoint; without any it is closed.
METRICS_TOKENS = environment.secrets("METRICS_TOKEN", may_be_short=DEBUG)

# Requests from the machine itself are always allowed, for health checks.
ALLOWED_HOSTS = [*environment.hosts("ALLOWED_HOSTS"), "localhost", "127.0.0.1", "[::1]"]
# Number of reverse proxies in front that add to X-Forwarded-For.
PROXIES = environment.number("PROXIES", 0, low=0, high=9)
# A proxy may send a different Host header than the one the browser used.
CSRF_TRUSTED_ORIGINS = environment.origins_of(ALLOWED_HOSTS)
# Whether an edge cache in front keeps public responses for a few seconds and passes on requests with cookies.
EDGE = environment.switch("EDGE", default=False)
# Origin of scripts, styles and pictures, if not the site itself.
STATIC_ORIGIN = environment.origin("STATIC_ORIGIN")
STATIC_SOURCES = [STATIC_ORIGIN] if STATIC_ORIGIN else []
ROOT_URLCONF = "config.urls"
WSGI_APPLICATION = "config.wsgi.application"

INSTALLED_APPS = [
    "tournaments",
    "stats",
    "accounts",
    "league",
    "scoring",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "allauth.socialaccount",
    "allauth.socialaccount.providers.discord",
    "allauth.socialaccount.providers.line",
    "allauth.usersessions",
    "django_tables2",
    "django_htmx",
    "rules.apps.AutodiscoverRulesConfig",
    "csp",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "config.middleware.TextCompressionMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "csp.middleware.CSPMiddleware",
    "config.middleware.SiteMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "accounts.http.choices.ChoicesMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
]

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.template.context_processors.i18n",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "league.context_processors.tenbo",
            ],
        },
    }
]

# --- Database --------------------------------------------------------------------------------------------------------

DATABASE_URL = environment.address("DATABASE_URL", ("postgresql", "postgres", "sqlite"), several=True)
# Statement timeout in seconds for requests (config/databases.py).
DATABASE_TIMEOUT = environment.number("DATABASE_TIMEOUT", 3, low=1, high=3_600)
DATABASE_POOLED = environment.switch("DATABASE_POOLED", default=False)
DATABASES = databases.configured(DATABASE_URL, VAR_DIR, is_pooled=DATABASE_POOLED)
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
# SQLite ignores the `include` columns of an index; it only costs an extra table lookup.
SILENCED_SYSTEM_CHECKS = ["models.W040"]

# --- Background work and cache ---------------------------------------------------------------------------------------

REDIS_URL = environment.address("REDIS_URL", ("redis", "rediss"))

CELERY_BROKER_URL = REDIS_URL or "memory://"
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_PUBLISH_RETRY = False
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
# Wait for the broker at start-up for as long as it takes.
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_CONNECTION_MAX_RETRIES = None
CELERY_BROKER_CONNECTION_TIMEOUT = 1
CELERY_BROKER_TRANSPORT_OPTIONS = {
    # No retries while the broker is down. Workers poll with a timeout of one second, below the socket timeout.
    "max_retries": 0,
    "socket_connect_timeout": 0.5,
    "socket_timeout": 2,
    "visibility_timeout": 600,
}
# Boards are quick and jobs are long, so each has its own queue. A worker without -Q takes both.
CELERY_TASK_QUEUES: dict[str, dict[str, Any]] = {"boards": {}, "jobs": {}}
CELERY_TASK_DEFAULT_QUEUE = "boards"
LONG_WORK = (
    "league.run_job",
    "league.end_league",
    "league.back_up",
    "league.move_photos",
    "league.remove_pictures",
    "league.sweep_pictures",
    "league.note_jobs_worker",
    "stats.follow",
    "accounts.sweep_notices",
    "accounts.end_account",
)
CELERY_TASK_ROUTES = {name: {"queue": "jobs"} for name in LONG_WORK}
# Lost work is picked up every minute, by beat or, without one, by the process itself.
SWEEPS = (
    "league.sweep_stale_periods",
    "league.note_jobs_worker",
    "stats.sweep",
    "accounts.sweep_notices",
    "accounts.sweep_closed_accounts",
)
CELERY_BEAT_SCHEDULE: dict[str, dict[str, Any]] = {
    name: {"task": name, "schedule": 60.0, "options": {"expires": 50}} for name in SWEEPS
}
# Tasks sent with a league's primary key after its boards were refreshed.
REFRESHED_ABOVE = ("stats.follow",)

# Separate caches for pages and for notes (links, live typing), so that page views do not evict notes.
CACHES: dict[str, dict[str, Any]] = {
    name: {"BACKEND": "config.cache.ForgivingRedisCache", "LOCATION": REDIS_URL}
    if REDIS_URL
    else {"BACKEND": "django.core.cache.backends.locmem.LocMemCache", "LOCATION": name}
    for name in ("default", "notes")
}

# --- Accounts and security -------------------------------------------------------------------------------------------

AUTHENTICATION_BACKENDS = [
    "league.http.log_ins.CarefulBackend",
    "rules.permissions.ObjectPermissionBackend",
    "django.contrib.auth.backends.ModelBackend",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in ("UserAttributeSimilarityValidator", "MinimumLengthValidator", "CommonPasswordValidator")
]
# Log-in is done by allauth; rate limits and texts are ours (docs/adr/0045).
ACCOUNT_ADAPTER = "accounts.http.adapters.AccountAdapter"
ACCOUNT_FORMS = {
    "reauthenticate": "accounts.forms.signing.AgainForm",
    "request_login_code": "accounts.forms.signing.AskForCodeForm",
}
ACCOUNT_RATE_LIMITS = MFA_RATE_LIMITS = False
ACCOUNT_LOGIN_METHODS = {"username", "email"}
ACCOUNT_LOGIN_BY_CODE_ENABLED = True
ACCOUNT_LOGIN_BY_CODE_TIMEOUT = 15 * 60
# Fields that allauth requires to verify by code; sign-up by external services omits the address
# (accounts/http/adapters.py).
ACCOUNT_SIGNUP_FIELDS = ["username*", "email*", "password1*"]
ACCOUNT_EMAIL_VERIFICATION = "mandatory"
ACCOUNT_EMAIL_VERIFICATION_BY_CODE_ENABLED = True
ACCOUNT_CHANGE_EMAIL = ACCOUNT_REAUTHENTICATION_REQUIRED = True
ACCOUNT_EMAIL_SUBJECT_PREFIX = "Tenbo: "
# Whether anyone may sign up. If off, an invitation is needed.
SIGNUP = environment.switch("SIGNUP", default=False)
MFA_ADAPTER = "accounts.http.adapters.PasskeyAdapter"
MFA_FORMS = {
    "add_webauthn": "accounts.forms.signing.NewPasskeyForm",
    "login_webauthn": "accounts.forms.signing.PasskeyLogInForm",
    "reauthenticate_webauthn": "accounts.forms.signing.PasskeyAgainForm",
}
MFA_SUPPORTED_TYPES = ["webauthn"]
MFA_PASSKEY_LOGIN_ENABLED = MFA_ALLOW_UNVERIFIED_EMAIL = True
# Over plain HTTP, browsers allow passkeys on localhost only.
MFA_WEBAUTHN_ALLOW_INSECURE_ORIGIN = not HTTPS
# A service is offered if its keys are set. Only the user's ID is requested.
SOCIALACCOUNT_ADAPTER = "accounts.http.adapters.ServiceAdapter"
SOCIALACCOUNT_FORMS = {"signup": "accounts.forms.signing.ServiceSignUpForm"}
SOCIALACCOUNT_AUTO_SIGNUP = SOCIALACCOUNT_STORE_TOKENS = SOCIALACCOUNT_EMAIL_AUTHENTICATION = False
SOCIALACCOUNT_PROVIDERS = environment.services({"line": ["profile"], "discord": ["identify"]})
# Forms redirect to the services, and browsers check form-action against redirect targets.
SERVICE_ADDRESSES = {"line": "https://access.line.me", "discord": "https://discord.com"}
CSRF_FAILURE_VIEW = "league.http.access.csrf_refused"
LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "accounts:me"
LOGOUT_REDIRECT_URL = "league:home"
# URL name of player pages, which are in an app above the league app.
PLAYER_PAGE = "stats:player"

SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = LANGUAGE_COOKIE_SECURE = HTTPS
SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = "Lax"
SECURE_SSL_REDIRECT = HTTPS
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if HTTPS else None
SECURE_HSTS_SECONDS = 31_536_000 if HTTPS else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE_HSTS_PRELOAD = HTTPS
SECURE_REDIRECT_EXEMPT = [r"^healthz$", r"^metrics$"]
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
# S3-compatible store for photos, if not the database. Browsers load photos from there with presigned URLs.
PHOTO_STORE = environment.store("PHOTOS_URL")
PHOTO_ORIGINS = ["/".join(PHOTO_STORE["public"].split("/")[:3])] if PHOTO_STORE else []
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [SELF],
        # The service worker fetches the files that it caches.
        "connect-src": [SELF, *STATIC_SOURCES],
        "script-src": [SELF, *STATIC_SOURCES],
        "style-src": [SELF, *STATIC_SOURCES],
        "img-src": [SELF, "data:", *STATIC_SOURCES, *PHOTO_ORIGINS],
        "object-src": [NONE],
        "base-uri": [NONE],
        "form-action": [SELF, *(SERVICE_ADDRESSES[name] for name in SOCIALACCOUNT_PROVIDERS)],
        "frame-ancestors": [NONE],
    }
}
DATA_UPLOAD_MAX_MEMORY_SIZE = 2_000_000
# The largest form is a full session grid: 80 rows with 64 cells and 7 more fields each, 64 columns with 2 fields, and 7
# other fields, about 5,800 in all.
DATA_UPLOAD_MAX_NUMBER_FIELDS = 7_000
DATA_UPLOAD_MAX_NUMBER_FILES = 10
FILE_UPLOAD_HANDLERS = [
    "config.uploads.CappedUploadHandler",
    "django.core.files.uploadhandler.MemoryFileUploadHandler",
    "django.core.files.uploadhandler.TemporaryFileUploadHandler",
]

# --- Seating ---------------------------------------------------------------------------------------------------------

# Maximum number of proposals in a seating search: one to two seconds.
SEATING_PROPOSALS = 800_000

# --- Languages and time ----------------------------------------------------------------------------------------------

LANGUAGE_CODE = "ja"
LANGUAGES = [("ja", "日本語"), ("en", "English")]
LOCALE_PATHS = [BASE_DIR / "locale"]
USE_I18N = True
USE_TZ = True
TIME_ZONE = environment.text("TIME_ZONE", "Asia/Tokyo")
if TIME_ZONE not in available_timezones():
    raise ImproperlyConfigured(f"TIME_ZONE is {TIME_ZONE!r}; write one such as Asia/Tokyo.")

# --- Files -----------------------------------------------------------------------------------------------------------

STATIC_URL = f"{STATIC_ORIGIN}/static/" if STATIC_ORIGIN else "static/"
STATICFILES_DIRS = [BASE_DIR / "static"]
STATICFILES_FINDERS = ["config.joining.JoiningFinder", "django.contrib.staticfiles.finders.AppDirectoriesFinder"]
# Only servers collect static files under hashed names; elsewhere they are served from the sources.
FILES_ARE_COLLECTED = not (DEBUG or EMBEDDED)
STATIC_ROOT = BASE_DIR / "staticfiles" if FILES_ARE_COLLECTED else None
WHITENOISE_AUTOREFRESH = DEBUG
WHITENOISE_USE_FINDERS = not FILES_ARE_COLLECTED
# The large font is only used by the server, for printing, and compressing it would take too long.
WHITENOISE_SKIP_COMPRESS_EXTENSIONS = (*Compressor.SKIP_COMPRESS_EXTENSIONS, "ttf")
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {
        "BACKEND": "config.storage.ModuleStorage" if FILES_ARE_COLLECTED else "config.storage.SourceStorage"
    },
}

# --- Backups ---------------------------------------------------------------------------------------------------------

# A local folder. If empty, backups are only made by hand.
BACKUP_DIR = environment.text("BACKUP_DIR")

# --- Mail and logs ---------------------------------------------------------------------------------------------------

_MAIL = environment.mail("EMAIL_URL")
EMAIL_HOST, EMAIL_PORT = _MAIL.host, _MAIL.port
EMAIL_HOST_USER, EMAIL_HOST_PASSWORD = _MAIL.user, _MAIL.password
EMAIL_USE_TLS, EMAIL_TIMEOUT = _MAIL.tls, 10
DEFAULT_FROM_EMAIL = _MAIL.sender
EMAIL_BACKEND = f"django.core.mail.backends.{'smtp' if EMAIL_HOST else 'console'}.EmailBackend"

# In a terminal only show problems; in a log also record requests.
LOG_LEVEL = "WARNING" if EMBEDDED and sys.stderr.isatty() else "INFO"
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "line": {
            "()": "config.logs.QuietFormatter",
            "format": "%(asctime)s %(levelname)s %(name)s %(message)s",
            "datefmt": "%Y-%m-%d %H:%M:%S%z",
        }
    },
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["console"], "level": LOG_LEVEL},
    "loggers": {
        "weasyprint": {"level": "ERROR"},
        "django": {"handlers": ["console"], "propagate": False},
        "django.server": {"handlers": ["console"], "propagate": False},
    },
}

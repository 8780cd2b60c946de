import os

from django.core.wsgi import get_wsgi_application

from config.databases import hurry
from league.background import wake

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

hurry()
application = get_wsgi_application()

wake()

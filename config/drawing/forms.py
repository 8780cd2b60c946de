"""Fields of forms, drawn like pages."""

from typing import Any

from django.conf import settings
from django.forms.renderers import DjangoTemplates
from django.template.backends.django import DjangoTemplates as Backend
from django.utils.functional import cached_property


class Renderer(DjangoTemplates):
    """Django's own, whose templates are rendered by functions."""

    @cached_property
    def engine(self) -> Any:
        """Return where the templates of fields are."""
        folders = super().engine.dirs
        loaders = [("config.drawing.loader.Loader", settings.TEMPLATE_PLACES)]
        return Backend({"APP_DIRS": False, "DIRS": folders, "NAME": "fields", "OPTIONS": {"loaders": loaders}})

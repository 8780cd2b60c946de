"""Where templates come from: as Django finds and keeps them, and quick."""

from django.template import Origin
from django.template.base import Template
from django.template.loaders.cached import Loader as CachedLoader

from config.drawing.functions import quicken


class Loader(CachedLoader):
    """Django's own, whose templates are rendered by functions; while developing by Django, which names the faulty line."""

    def get_template(self, template_name: str, skip: list[Origin] | None = None) -> Template:
        """Return a template. Raises TemplateDoesNotExist."""
        template: Template = super().get_template(template_name, skip)
        if not self.engine.debug:
            quicken(template)
        return template

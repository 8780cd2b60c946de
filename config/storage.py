from urllib.parse import urlsplit

from django.contrib.staticfiles.storage import StaticFilesStorage
from whitenoise.storage import CompressedManifestStaticFilesStorage  # type: ignore[import-untyped]

DRAWN_FROM = "icons/sprite.svg"
"""The file whose parts pages draw: browsers do that only with one of the site itself, wherever the others come from."""

IMPORTS = ((r"""(?P<matched>(?P<verb>\bfrom |\bimport |\bimport\()"(?P<url>\.{1,2}/[^"]+)")""", '%(verb)s"%(url)s"'),)


class ModuleStorage(CompressedManifestStaticFilesStorage):  # type: ignore[misc]
    """Also writes those names into the imports of our scripts: a page has each module once, and never an old one.

    Django's own `support_js_module_import_aggregation` does the same to the scripts of every installed app, and stops at one
    of django-htmx that names "../htmx" in a comment, a file that is not there.
    """

    patterns = (*CompressedManifestStaticFilesStorage.patterns, ("js/*.js", IMPORTS))

    def url(self, name: str, *, force: bool = False) -> str:
        return _from_the_site(name, super().url(name, force))


class SourceStorage(StaticFilesStorage):
    def url(self, name: str | None) -> str:
        return _from_the_site(name, super().url(name))


def _from_the_site(name: str | None, address: str) -> str:
    return urlsplit(address).path if name == DRAWN_FROM else address

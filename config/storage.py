from urllib.parse import urlsplit

from django.contrib.staticfiles.storage import StaticFilesStorage
from whitenoise.storage import CompressedManifestStaticFilesStorage  # type: ignore[import-untyped]

DRAWN_FROM = "icons/sprite.svg"
"""SVG sprite used by pages with <use>. Browsers require it to be same-origin, even if other files are not."""

IMPORTS = ((r"""(?P<matched>(?P<verb>\bfrom |\bimport |\bimport\()"(?P<url>\.{1,2}/[^"]+)")""", '%(verb)s"%(url)s"'),)


class ModuleStorage(CompressedManifestStaticFilesStorage):  # type: ignore[misc]
    """Also rewrites imports in our scripts to hashed names, so that a page never loads a module twice or an old one.

    Django's `support_js_module_import_aggregation` would rewrite the scripts of every installed app, and fails at one
    of django-htmx that mentions "../htmx" in a comment, a file that does not exist.
    """

    patterns = (*CompressedManifestStaticFilesStorage.patterns, ("js/*.js", IMPORTS))

    def url(self, name: str, *, force: bool = False) -> str:
        return _from_the_site(name, super().url(name, force))


class SourceStorage(StaticFilesStorage):
    def url(self, name: str | None) -> str:
        return _from_the_site(name, super().url(name))


def _from_the_site(name: str | None, address: str) -> str:
    return urlsplit(address).path if name == DRAWN_FROM else address

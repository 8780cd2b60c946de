"""Files under names that tell their content, so that a browser may keep them for good."""

from whitenoise.storage import CompressedManifestStaticFilesStorage  # type: ignore[import-untyped]

IMPORTS = ((r"""(?P<matched>(?P<verb>\bfrom |\bimport |\bimport\()"(?P<url>\.{1,2}/[^"]+)")""", '%(verb)s"%(url)s"'),)


class ModuleStorage(CompressedManifestStaticFilesStorage):  # type: ignore[misc]
    """Also writes those names into the imports of our scripts: a page has each module once, and never an old one.

    Django's own `support_js_module_import_aggregation` does the same to the scripts of every installed app, and stops at one
    of django-htmx that names "../htmx" in a comment, a file that is not there.
    """

    patterns = (*CompressedManifestStaticFilesStorage.patterns, ("js/*.js", IMPORTS))

"""Files under names that tell their content, so that a browser may keep them for good."""

from whitenoise.storage import CompressedManifestStaticFilesStorage  # type: ignore[import-untyped]

IMPORTS = (
    (r"""(?P<matched>\bfrom "(?P<url>\.{1,2}/[^"]+)";)""", 'from "%(url)s";'),
    (r"""(?P<matched>\bimport\("(?P<url>\.{1,2}/[^"]+)"\))""", 'import("%(url)s")'),
)


class ModuleStorage(CompressedManifestStaticFilesStorage):  # type: ignore[misc]
    """Also writes those names into the imports of our scripts: a page has each module once, and never an old one."""

    patterns = (*CompressedManifestStaticFilesStorage.patterns, ("js/*.js", IMPORTS))

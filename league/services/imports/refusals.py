"""Why a file cannot be gone on with. Plain Python: the process that reads files knows nothing of the site."""

OVER = 3
"""The exit code of the process that reads a file where it would have been too much."""


class ImportFileError(Exception):
    """A file or a step that cannot be gone on with. `code` names the reason, `values` what a sentence needs."""

    def __init__(self, code: str, **values: object) -> None:
        super().__init__(code)
        self.code = code
        self.values = values

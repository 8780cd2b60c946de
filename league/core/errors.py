class RefusedError(Exception):
    """A refused action: `code` names the reason, `values` fill its message."""

    def __init__(self, code: str, **values: object) -> None:
        super().__init__(code)
        self.code = code
        self.values = values

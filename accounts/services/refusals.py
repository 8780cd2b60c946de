"""What is raised where somebody cannot come in, or be who they say they are."""


class WayInError(Exception):
    """Something that cannot be done about an invitation or a claim. `code` names the reason (accounts/messages/ways_in.py)."""

    def __init__(self, code: str, **values: object) -> None:
        super().__init__(code)
        self.code = code
        self.values = values

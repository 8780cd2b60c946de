"""What is said about rules: the names of their parameters in a sentence."""

from django.utils.translation import pgettext

from scoring.messages import parameter_label


def parameter_names(parameters: tuple[str, ...]) -> str:
    """Return the names of parameters as one text."""
    return pgettext("between parameters", ", ").join(str(parameter_label(name)) for name in parameters)

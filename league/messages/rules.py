"""What is said about rules: the names of their parameters in a sentence."""

from django.utils.translation import gettext, pgettext

from scoring.messages import parameter_label


def parameter_names(parameters: tuple[str, ...]) -> str:
    """Return the names of parameters as one text."""
    return pgettext("between parameters", ", ").join(str(parameter_label(name)) for name in parameters)


def incomplete_sentence(rules: str, missing: tuple[str, ...]) -> str:
    """Return what is to be set before anything can be scored by rules."""
    text = gettext("%(rules)s was taken over. Before anything can be scored by it, set: %(missing)s.")
    return text % {"rules": rules, "missing": parameter_names(missing)}

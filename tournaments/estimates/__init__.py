"""Simulated chances, built on the core. numpy is loaded on first use, because most processes never need its 12 MB."""

from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING

from django.utils.functional import SimpleLazyObject

if TYPE_CHECKING:
    import numpy as np
else:
    np = SimpleLazyObject(partial(import_module, "numpy"))

__all__ = ["np"]

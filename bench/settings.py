"""The settings of Tenbo with the bench's own addresses beside the product's."""

from config.settings import *  # noqa: F403

ROOT_URLCONF = "bench.plain"

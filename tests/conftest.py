"""Puts this folder on the path, so that tests can share helpers such as `made`."""

from hypothesis import settings

# A game that takes longer on a busy machine is no failure.
settings.register_profile("mancalab", deadline=None)
settings.load_profile("mancalab")

"""Packages of others that tests use where this interpreter has them."""

import importlib


def installed(name):
    """The package, or None. PyTorch whose libraries are not there says OSError or ValueError."""
    try:
        return importlib.import_module(name)
    except (ImportError, OSError, ValueError):
        return None

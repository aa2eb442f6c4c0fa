"""The version of asof."""

__version__ = "0.2.0"

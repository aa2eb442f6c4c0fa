"""The version of asof."""

__version__ = "0.1.0"

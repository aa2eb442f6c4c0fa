"""What it means that the library of an adapter cannot be imported."""

from __future__ import annotations

from asof.errors import MissingExtra


def missing(extra: str, package: str, error: ModuleNotFoundError) -> Exception:
    """The error to raise where importing a module of `package` failed: MissingExtra where the package is not
    installed, and `error` itself where the package is there and lacks something else."""
    top = package.partition(".")[0]
    if error.name is None or error.name.partition(".")[0] != top:
        return error
    return MissingExtra(
        f"asof.extensions.adapters.{extra.replace('-', '_')} needs {package}: pip install 'asof[{extra}]'"
    )

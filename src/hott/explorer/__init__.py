"""The explorer: a web page to look at a corpus through its transport, its HTTP API, and its static export."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hott.explorer.export import export_site
    from hott.explorer.indexing import find_index
    from hott.explorer.launch import serve
    from hott.explorer.server import create_app

__all__ = ["create_app", "export_site", "find_index", "serve"]

_HOMES = {"create_app": "server", "export_site": "export", "find_index": "indexing", "serve": "launch"}


def __getattr__(name: str) -> Any:
    from hott.utils.optional import import_optional

    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import_optional("fastapi", extra="explore")
    return getattr(import_optional(f"hott.explorer.{_HOMES[name]}", extra="explore"), name)

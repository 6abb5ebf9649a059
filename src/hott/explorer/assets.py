"""The files of the page, and its modules joined into one script: it comes sooner than thirty files."""

import gzip
import hashlib
import re
from dataclasses import dataclass
from functools import cached_property
from importlib import resources

from hott.explorer.constants import constants_script

_TYPES = {
    "html": "text/html; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
}
_LARGE = 1_000_000  # bytes from which packing them well takes longer than sending more of them
_IMPORT = re.compile(r'^import (?:\{[^}]*\} from )?"\./([\w-]+\.js)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?function |class |const |let )", re.MULTILINE)


@dataclass(frozen=True)
class Asset:
    """A file of the page."""

    name: str
    content: bytes

    @property
    def type(self) -> str:
        return _TYPES[self.name.rpartition(".")[2]]

    @cached_property
    def compressed(self) -> bytes:
        return gzip.compress(self.content, 1 if len(self.content) > _LARGE else 6)

    @cached_property
    def etag(self) -> str:
        return f'"{hashlib.sha256(self.content).hexdigest()[:32]}"'


def assets() -> dict[str, Asset]:
    """Read all files of the page by name, and join its modules into the script ``page.js``."""
    folder = resources.files("hott.explorer").joinpath("static")
    names = [entry.name for entry in folder.iterdir() if entry.name.rpartition(".")[2] in _TYPES]
    found = {name: Asset(name, folder.joinpath(name).read_bytes()) for name in sorted(names)}
    modules = {name: asset.content.decode() for name, asset in found.items() if name.endswith(".js")}
    return found | {"page.js": Asset("page.js", bundle(modules).encode())}


def bundle(files: dict[str, str], entry: str = "app.js") -> str:
    """Join modules into one classic script; a page opened from a file may not import modules at all.

    Each module comes after those it imports. Names must be unique over all modules, imports must not rename,
    and exports must stand before what they export: then leaving both words out is all it takes.

    Examples
    --------
    >>> one = 'export const one = 1;\\n'
    >>> print(bundle({"one.js": one, "app.js": 'import { one } from "./one.js";\\nalert(one);\\n'}))
    "use strict";
    (() => {
    const one = 1;
    alert(one);
    })();
    """
    ordered: list[str] = []

    def visit(name: str) -> None:
        if name not in ordered:
            for needed in _IMPORT.findall(files[name]):
                visit(needed)
            ordered.append(name)

    visit(entry)
    bodies = [_EXPORT.sub("", _IMPORT.sub("", files[name])) for name in ordered]
    return f'"use strict";\n(() => {{\n{"".join(bodies)}}})();'


def offline() -> dict[str, str]:
    """Return the modules that answer an exported page in the browser."""
    folder = resources.files("hott.explorer").joinpath("static", "offline")
    files = {entry.name: entry.read_text("utf-8") for entry in folder.iterdir()}
    return {"constants.js": constants_script(), **files}


def wasm() -> bytes:
    """Read the compiled core for browsers (made by tools/make_wasm.py)."""
    return resources.files("hott.explorer").joinpath("static", "core.wasm").read_bytes()

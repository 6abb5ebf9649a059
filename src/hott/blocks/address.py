"""Where results go: a folder here, or one at any address that fsspec knows, such as s3://bucket/folder."""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from hott._atomic import replacing
from hott._optional import need


@dataclass(frozen=True)
class Address:
    """A folder of finished blocks, each there whole or not at all."""

    name: str
    options: dict[str, Any] = field(default_factory=dict)  # for fsspec, such as credentials

    @classmethod
    def of(cls, address: Any, options: dict[str, Any] | None = None) -> "Address":
        name = str(address).removeprefix("file://")
        if "://" not in name:
            name = str(Path(name).absolute())  # workers may run in another folder
        return cls(name, options or {})

    @property
    def is_local(self) -> bool:
        return "://" not in self.name

    @property
    def ending(self) -> str:
        return Path(self.name).suffix.lower()

    def files(self) -> set[str]:
        """The names of all files in the folder and the folders below it."""
        files, root = self._place
        files.invalidate_cache()
        return {name.removeprefix(root + "/") for name in files.find(root)}

    def read(self, name: str) -> bytes:
        files, root = self._place
        content: bytes = files.cat_file(f"{root}/{name}")
        return content

    def write(self, name: str, content: bytes) -> None:
        """Write one file, whole or not at all."""
        if not self.is_local:
            files, root = self._place
            files.pipe_file(f"{root}/{name}", content)
            return
        path = Path(self.name, name)
        path.parent.mkdir(exist_ok=True)
        with replacing(path) as file:
            file.write(content)

    def described_by(self, about: str, holds: str, fingerprint: str, *within: str) -> dict[str, Any] | None:
        """What the results that are here say of themselves in the file ``about``; None where there are none.

        An error when something else is there than what ``holds`` and ``fingerprint`` say.
        """
        there = self.files()
        if not there:
            return None
        described = json.loads(self.read(about)) if about in there else {}
        for key in (*within, "hott"):
            described = described.get(key, {})
        if (described.get("holds"), described.get("fingerprint")) != (holds, fingerprint):
            raise ValueError(
                f"{self.name} is there already and holds something else than the {holds} of these documents. "
                "Remove it, or choose another name for the result."
            )
        return described

    @cached_property
    def _place(self) -> tuple[Any, str]:
        files, root = need("fsspec.core", extra="dask").url_to_fs(self.name, **self.options)
        return files, root.rstrip("/")


@contextmanager
def saving_to(address: Address) -> Iterator[None]:
    """Let an ``OSError`` say what was being saved, and that what is finished is kept."""
    try:
        yield
    except OSError as error:
        raise OSError(
            error.errno,
            f"cannot save to {address.name}: {os.strerror(error.errno) if error.errno else error}. Finished "
            "blocks are kept: the same call goes on from there.",
        ) from error

"""Where results go: a folder here, or one at any address that fsspec knows, such as s3://bucket/folder."""

import json
import os
from collections.abc import Hashable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol, TypeVar

from hott.utils.atomic import atomic_create, atomic_write, exclusive_open
from hott.utils.optional import import_optional

Block = TypeVar("Block", bound=Hashable)


class Store(Protocol[Block]):
    """Results that are filled block by block."""

    def finished_blocks(self) -> set[Block]: ...
    def alone(self) -> AbstractContextManager[Any]:
        """Keep other processes from filling it at the same time."""
        ...


@contextmanager
def filling(store: Store[Block], n_blocks: int) -> Iterator[set[Block]]:
    """Yield the finished blocks of a store; keep the others for this process until the ``with`` block ends.

    An ``OSError`` where another process fills the store. One that is complete may be read by all.
    """
    with ExitStack() as stack:
        finished = store.finished_blocks()
        if len(finished) < n_blocks:
            stack.enter_context(store.alone())
            finished = store.finished_blocks()  # whoever had it before may have done more
        yield finished


@dataclass(frozen=True)
class Address:
    """A folder of finished blocks, each there whole or not at all."""

    name: str
    options: dict[str, Any] = field(default_factory=dict, hash=False)  # for fsspec, such as credentials

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
        """Return the names of all files in the folder and the folders below it."""
        if self.is_local:
            return {
                Path(folder, name).relative_to(self.name).as_posix()
                for folder, _, names in os.walk(self.name)
                for name in names
            }
        files, root = self._place
        files.invalidate_cache()
        return {name.removeprefix(root + "/") for name in files.find(root)}

    def has(self, name: str) -> bool:
        """Whether there is a file of that name; a web server cannot list its files, but has them."""
        if self.is_local:
            return Path(self.name, name).is_file()
        files, root = self._place
        files.invalidate_cache()
        return bool(files.exists(f"{root}/{name}"))

    def of_file(self, name: str) -> str:
        """Return the address of one file in the folder."""
        return str(Path(self.name, name)) if self.is_local else f"{self.name.rstrip('/')}/{name}"

    def remove(self, name: str) -> None:
        """Remove one file; nothing happens where it is gone already."""
        if self.is_local:
            Path(self.name, name).unlink(missing_ok=True)
            return
        files, root = self._place
        with suppress(FileNotFoundError):
            files.rm_file(f"{root}/{name}")

    def read(self, name: str) -> bytes:
        if self.is_local:
            return Path(self.name, name).read_bytes()
        files, root = self._place
        return files.cat_file(f"{root}/{name}")

    def write(self, name: str, content: bytes) -> None:
        """Write one file, whole or not at all."""
        if not self.is_local:
            files, root = self._place
            files.pipe_file(f"{root}/{name}", content)
            return
        with atomic_write(Path(self.name, name)) as file:
            file.write(content)

    def open_or_create(
        self, about: str, new: Mapping[str, bytes], holds: str, fingerprint: str, *within: str
    ) -> dict[str, Any]:
        """Begin results here unless some are there already, and return what they say of themselves.

        An error when something else is there than what ``holds`` and ``fingerprint`` say.
        """
        with saving_to(self):
            self._begin(about, new)
        described = json.loads(self.read(about)) if about in self.files() else {}
        for key in (*within, "hott"):
            described = described.get(key, {})
        if (described.get("holds"), described.get("fingerprint")) != (holds, fingerprint):
            raise ValueError(
                f"{self.name} is there already and holds something else than the {holds} of these documents. "
                "Remove it, or choose another name for the result."
            )
        return described

    def _begin(self, about: str, new: Mapping[str, bytes]) -> None:
        """Put down the first files, all or none, unless something is there."""
        if not self.is_local:
            if self.files() <= new.keys() - {about}:  # nothing, or as far as someone came who was killed here
                for name in sorted(new, key=about.__eq__):  # that file comes last
                    self.write(name, new[name])
            return
        folder = Path(self.name)
        folder.parent.mkdir(parents=True, exist_ok=True)
        with suppress(OSError):
            folder.rmdir()  # an empty one may be used
        with atomic_create(folder) as aside:
            if aside is None:
                return
            for name, content in new.items():
                path = aside / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content)

    @contextmanager
    def alone(self, about: str) -> Iterator[None]:
        """Keep other processes from filling what was begun here; elsewhere there is no way to."""
        if not self.is_local:
            yield
            return
        with exclusive_open(Path(self.name, about)):
            for name in self.files():
                if name.endswith(".partial"):  # Zarr writes chunks under such names; their writer is dead
                    Path(self.name, name).unlink(missing_ok=True)
            yield

    @cached_property
    def _place(self) -> tuple[Any, str]:
        files, root = import_optional("fsspec.core", extra="dask").url_to_fs(self.name, **self.options)
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

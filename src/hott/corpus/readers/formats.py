"""Which format a file has, by its name; and which files are no documents unless someone asks for them."""

from fnmatch import fnmatchcase
from pathlib import PurePosixPath

_ENDINGS = {
    "text": "txt text rst asc",
    "markdown": "md markdown mdown",
    "html": "html htm xhtml",
    "pdf": "pdf",
    "docx": "docx",
    "odt": "odt",
    "epub": "epub",
    "eml": "eml",
    "csv": "csv",
    "tsv": "tsv tab",
    "jsonl": "jsonl ndjson",
    "json": "json",
    "parquet": "parquet pq",
    "xlsx": "xlsx xlsm",
    "mbox": "mbox mbx",
    "zip": "zip",
    "tar": "tar tgz tbz2 txz",
}
SUFFIXES = {f".{ending}": format for format, endings in _ENDINGS.items() for ending in endings.split()}
FORMATS = ("folder", "lines", *_ENDINGS)
ARCHIVES = ("zip", "tar")
MANY = ("csv", "tsv", "jsonl", "json", "lines", "parquet", "xlsx", "mbox")
"""Formats with many documents in a file."""

_CODE = frozenset(
    f".{ending}"
    for ending in [
        "py",
        "pyi",
        "pyx",
        "ipynb",
        "js",
        "mjs",
        "ts",
        "jsx",
        "tsx",
        "css",
        "scss",
        "less",
        "c",
        "h",
        "cpp",
        "hpp",
        "cc",
        "hh",
        "cu",
        "cuh",
        "java",
        "kt",
        "go",
        "rs",
        "rb",
        "php",
        "pl",
        "pm",
        "sh",
        "bash",
        "zsh",
        "fish",
        "bat",
        "cmd",
        "ps1",
        "sql",
        "r",
        "m",
        "mm",
        "swift",
        "scala",
        "lua",
        "jl",
        "cs",
        "vb",
        "f",
        "f90",
        "asm",
        "s",
        "cmake",
        "mk",
        "gradle",
        "toml",
        "yaml",
        "yml",
        "ini",
        "cfg",
        "conf",
        "lock",
        "xml",
        "xsd",
        "xsl",
        "svg",
        "dtd",
        "proto",
        "tex",
        "cls",
        "sty",
        "bib",
        "map",
        "tf",
        "vue",
    ]
)
_OF_PROJECTS = (
    "readme*", "license*", "licence*", "copying*", "notice*", "authors*", "codeowners", "makefile*",
    "dockerfile*", "cmakelists.txt", "requirements*.txt", "package.json", "package-lock.json",
    "tsconfig*.json", "composer.json", "manifest.in", "robots.txt", "thumbs.db", "desktop.ini",
)  # fmt: skip
_FOLDERS_OF_CODE = frozenset(["node_modules", "__pycache__", "site-packages"])


def format_of(name: str) -> str | None:
    """What a file is by its name, compressed or not; None where the name does not tell.

    Examples
    --------
    >>> format_of("Data.CSV.gz"), format_of("site/index.html"), format_of("all.tar.gz"), format_of("12345")
    ('csv', 'html', 'tar', None)
    """
    lowered = name.lower()
    for packed in (".gz", ".bz2", ".xz"):
        if lowered.endswith(f".tar{packed}"):
            return "tar"
    return SUFFIXES.get(PurePosixPath(lowered.removesuffix(".gz")).suffix)


def why_left_out(name: str, include: tuple[str, ...], exclude: tuple[str, ...]) -> str | None:
    """Why a file of a folder or archive is not read, in the plural; None if it is.

    Examples
    --------
    >>> why_left_out("src/main.py", (), ()), why_left_out("src/main.py", ("*.py",), ())
    ('files of code or settings', None)
    >>> why_left_out("notes/a.md", (), ("notes/*",))
    'files that were excluded'
    """
    if any(_matches(name, pattern) for pattern in exclude):
        return "files that were excluded"
    *folders, last = name.split("/")
    hidden = any(part.startswith(".") for part in (*folders, last))
    if include:
        asked = [pattern for pattern in include if _matches(name, pattern)]
        if not asked:
            return "files that were not included"
        hidden = hidden and not any(part.startswith(".") for pattern in asked for part in pattern.split("/"))
        return "hidden files" if hidden else None
    if hidden:
        return "hidden files"
    lowered = last.lower().removesuffix(".gz")
    if any(fnmatchcase(lowered, pattern) for pattern in _OF_PROJECTS):
        return "licences, readme files and other files of projects"
    if PurePosixPath(lowered).suffix in _CODE or not _FOLDERS_OF_CODE.isdisjoint(folders):
        return "files of code or settings"
    return None


def _matches(name: str, pattern: str) -> bool:
    """Whether a pattern means a file: by its name, its path, or a folder above it."""
    name, pattern = name.lower(), pattern.lower().rstrip("/")
    return (
        fnmatchcase(name, pattern)
        or fnmatchcase(name.rpartition("/")[2], pattern)
        or name.startswith(f"{pattern}/")
    )

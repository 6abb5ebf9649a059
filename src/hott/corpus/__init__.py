"""Documents: what a document is, a corpus of them held compactly, and reading them from files and frames."""

from typing import TYPE_CHECKING, Any

from hott.corpus._corpus import FIELDS, Corpus, Document
from hott.corpus._corpus import explain_missing as explain_missing
from hott.corpus._corpus import texts_of as texts_of

if TYPE_CHECKING:
    from hott.corpus._reading import read, stream
else:

    def __getattr__(name: str) -> Any:  # the readers of all formats load when something is read
        if name not in ("read", "stream"):
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from hott.corpus import _reading

        return getattr(_reading, name)


__all__ = ["FIELDS", "Corpus", "Document", "read", "stream"]

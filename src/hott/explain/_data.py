"""A comparison as plain data: what the command line, the API and the page speak."""

from typing import Any

from hott.explain.comparison import Comparison, Side, Theme, Word
from hott.explain.evidence import Sentence


def as_dict(c: Comparison, steps: int | None, sentences: int) -> dict[str, Any]:
    """Everything, with so many steps of the flow and so many sentences a theme and side."""
    return {
        "distance": c.distance,
        "topics": c.topics,
        "far": c.far,
        "both": c.both,
        "why": c.why,
        "sentences": list(c.sentences),
        "a": _side(c.a),
        "b": _side(c.b),
        "themes": [_theme(c, theme, sentences) for theme in c.themes],
        "shared": [theme.number for theme in c.shared],
        "only_a": [theme.number for theme in c.only_a],
        "only_b": [theme.number for theme in c.only_b],
        "moves": [
            {"source": m.source.number, "target": m.target.number, "mass": m.mass, "cost": m.cost}
            for m in c.moves
        ],
        "flow": [
            {
                "source": step.source,
                "target": step.target,
                "mass": step.mass,
                "cost": step.cost,
                "source_theme": step.source_theme,
                "target_theme": step.target_theme,
            }
            for step in c.flow[:steps]
        ],
    }


def _side(side: Side) -> dict[str, Any]:
    return {"id": side.id, "title": side.title, "documents": side.n_documents}


def _theme(c: Comparison, theme: Theme, n: int) -> dict[str, Any]:
    evidence = c.evidence(theme, n) if n else ((), ())
    return {
        "number": theme.number,
        "name": theme.name,
        "is_other": theme.is_other,
        "weight": theme.weight,
        "mass_a": theme.mass_a,
        "mass_b": theme.mass_b,
        "both": theme.both,
        "cost": theme.cost,
        "words_a": [_word(word) for word in theme.words_a],
        "words_b": [_word(word) for word in theme.words_b],
        "sentences_a": [_sentence(sentence) for sentence in evidence[0]],
        "sentences_b": [_sentence(sentence) for sentence in evidence[1]],
    }


def _word(word: Word) -> dict[str, Any]:
    return {"word": word.text, "mass": word.mass, "forms": list(word.forms), "in_both": word.in_both}


def _sentence(sentence: Sentence) -> dict[str, Any]:
    return {
        "document": sentence.document,
        "text": sentence.text,
        "start": sentence.start,
        "marks": [{"start": m.start, "end": m.end, "strength": m.strength} for m in sentence.marks],
    }

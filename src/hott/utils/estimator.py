"""The side of estimators that scikit-learn sees, without the second that importing scikit-learn takes.

Parameters, tags and copies are what :class:`sklearn.base.BaseEstimator` makes of them. scikit-learn itself is
loaded where something is learned or checked, not where a model is opened.
"""

import inspect
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from sklearn.utils import Tags
    from sklearn.utils.metadata_routing import MetadataRequest


class Estimator:
    """An object with parameters that scikit-learn can read, set and copy."""

    reads_texts = False
    """Whether documents come as texts, and not as counts."""

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return parameters by name, with those of parameters that have some: ``distance__n_topics``."""
        params: dict[str, Any] = {}
        for name in sorted(_parameters(type(self))):
            value = params[name] = getattr(self, name)
            if deep and hasattr(value, "get_params") and not isinstance(value, type):
                params |= {f"{name}__{inner}": part for inner, part in value.get_params().items()}
        return params

    def set_params(self, **params: Any) -> Self:
        """Set parameters by their names, as :meth:`get_params` gives them."""
        known, nested = self.get_params(deep=False), dict[str, dict[str, Any]]()
        for name, value in params.items():
            outer, _, inner = name.partition("__")
            if outer not in known:
                raise ValueError(
                    f"Invalid parameter {outer!r} for estimator {self!r:.200}. "
                    f"Valid parameters are: {sorted(known)}."
                )
            if inner:
                nested.setdefault(outer, {})[inner] = value
            else:
                setattr(self, outer, value)
        for outer, inside in nested.items():
            getattr(self, outer).set_params(**inside)
        return self

    def __repr__(self) -> str:
        """Name the parameters that differ from their defaults."""
        default = {name: parameter.default for name, parameter in _parameters(type(self)).items()}
        params = {name: repr(value) for name, value in self.get_params(deep=False).items()}
        told = [f"{name}={value:.500}" for name, value in params.items() if value != repr(default[name])]
        return f"{type(self).__name__}({', '.join(told)})"

    def _repr_html_(self) -> str:
        from sklearn.utils import estimator_html_repr

        return str(estimator_html_repr(self))

    def get_metadata_routing(self) -> "MetadataRequest":
        """Return what scikit-learn may pass on to the methods: nothing but documents and classes."""
        from sklearn.utils.metadata_routing import MetadataRequest

        return MetadataRequest(owner=self)

    def __sklearn_tags__(self) -> "Tags":
        from sklearn.utils import InputTags, Tags, TargetTags

        inputs = InputTags(string=self.reads_texts, two_d_array=not self.reads_texts)
        return Tags(None, TargetTags(required=False), input_tags=inputs)


class Transformer(Estimator):
    """An estimator that makes something else of documents."""

    def fit_transform(self, X: Any, y: Any = None, **options: Any) -> Any:
        """Learn from documents, and transform them."""
        return self.fit(X, y, **options).transform(X)  # type: ignore[attr-defined]

    def __sklearn_tags__(self) -> "Tags":
        from sklearn.utils import TransformerTags

        tags = super().__sklearn_tags__()
        tags.transformer_tags = TransformerTags()
        return tags


def is_fitted(estimator: Estimator) -> bool:
    """Return whether it has learned anything: what was learned is in attributes that end in an underscore."""
    if hasattr(estimator, "__sklearn_is_fitted__"):
        return bool(estimator.__sklearn_is_fitted__())
    return any(name.endswith("_") and not name.startswith("__") for name in vars(estimator))


def check_is_fitted(estimator: Estimator) -> None:
    """Raise scikit-learn's NotFittedError for an estimator that was not fitted."""
    if not is_fitted(estimator):
        from sklearn.exceptions import NotFittedError

        raise NotFittedError(f"This {type(estimator).__name__} is not fitted yet. Call fit first.")


def _parameters(kind: type[Estimator]) -> Mapping[str, inspect.Parameter]:
    signature = inspect.signature(kind.__init__).parameters.values()
    variable = inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL
    return {one.name: one for one in signature if one.name != "self" and one.kind not in variable}

"""The tree of subjects of a collection: nested groups of documents, and what people changed about them."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal, Self, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

SubjectEdit: TypeAlias = Literal["rename", "merge", "split", "hide", "show"]

NO_SUBJECT = -1  # the group of a document that is near no others
UNPLACED = -2  # the group of a document that came after the groups were found
LEVELS = (1, 2, 3, 4)  # of the tree, coarsest first
MAX_NAME = 200  # characters
MAX_NUMBER = 2**24  # of a subject
_MIN_SAME = 0.5  # Jaccard of the documents of two groups that are one subject before and after


@dataclass(frozen=True, slots=True)
class Node:
    """A group of documents in the tree, and what it is called."""

    number: int
    level: int
    parent: int | None = None
    terms: tuple[str, ...] | None = None  # None: not looked for yet
    is_chaff: bool = False
    name: str = ""  # that people gave it
    is_hidden: bool = False
    is_merged: bool = False  # by people
    split_from: tuple[int, ...] = ()  # numbers of subjects that people split, which it was a part of

    @property
    def is_edited(self) -> bool:
        """Whether people changed it, so that it is kept as it is."""
        return bool(self.name) or self.is_hidden or self.is_merged


@dataclass(frozen=True, eq=False)
class SubjectTree:
    """Nested groups of the documents of a snapshot. It never changes: an edit makes another one."""

    leaf: NDArray[np.int32]  # of each document: its finest group, NO_SUBJECT or UNPLACED
    links: NDArray[np.uint16]  # levels x documents: of how many of its group it is among the nearest
    nodes: Mapping[int, Node]  # by their numbers

    @classmethod
    def of(
        cls, levels: Sequence[NDArray[np.intp]], nearest: NDArray[np.intp], known: NDArray[np.intp], n: int
    ) -> Self:
        """Make a tree of the groups (-1 for none) and the nearest others of the known ones of n documents."""
        rows, columns = np.repeat(np.arange(len(nearest)), nearest.shape[1]), nearest.ravel()
        rows, columns = rows[columns >= 0], columns[columns >= 0]
        links = np.zeros((len(LEVELS), n), np.uint16)
        leaf = np.full(len(known), NO_SUBJECT, np.int32)
        nodes: dict[int, Node] = {}
        for level, groups in zip(LEVELS, levels):
            inside = (groups[rows] == groups[columns]) & (groups[rows] >= 0)
            counts = np.bincount(columns[inside], minlength=len(known))
            links[level - 1, known] = np.minimum(counts, np.iinfo(np.uint16).max)
            above = leaf.copy()
            for group in range(int(groups.max(initial=-1)) + 1):
                own = groups == group
                parent = int(above[own][0])
                if parent >= 0 and own.sum() == (above == parent).sum():
                    continue  # the same documents once more
                number = len(nodes)
                nodes[number] = Node(number, level, None if parent < 0 else parent)
                leaf[own] = number
        everywhere = np.full(n, NO_SUBJECT, np.int32)
        everywhere[known] = leaf
        return cls(everywhere, links, nodes)

    # -- which documents are where ---------------------------------------------------------------------

    def path(self, number: int) -> list[int]:
        """List a node and those above it, itself first."""
        found = [number]
        while (parent := self.nodes[found[-1]].parent) is not None:
            found.append(parent)
        return found

    def at(self, level: int) -> NDArray[np.int32]:
        """Return the node of each document at a level: the finest that is not finer than it."""
        size = max(self.nodes, default=-1) + 1
        there = np.full(size + 2, NO_SUBJECT, np.int32)  # the last two for NO_SUBJECT and UNPLACED
        for number in self.nodes:
            coarse = [node for node in self.path(number) if self.nodes[node].level <= level]
            there[number] = coarse[0] if coarse else NO_SUBJECT
        there[UNPLACED] = UNPLACED
        return there[self.leaf]

    def members(self) -> dict[int, NDArray[np.intp]]:
        """Return the positions of the documents of each node, the most typical first."""
        found: dict[int, NDArray[np.intp]] = {}
        for level in LEVELS:
            groups = self.at(level)
            order = np.lexsort((-self.links[level - 1].astype(int), groups))
            numbers, starts = np.unique(groups[order], return_index=True)
            for number, own in zip(numbers.tolist(), np.split(order, starts[1:])):
                if number >= 0:
                    found.setdefault(number, own)
        return found

    # -- documents that come and go ---------------------------------------------------------------------

    def select(self, positions: NDArray[np.integer]) -> "SubjectTree":
        """Keep the documents at some positions, in that order; -1 is a document that is new."""
        new = positions < 0
        leaf, links = self.leaf[positions], self.links[:, positions]
        return SubjectTree(
            np.where(new, np.int32(UNPLACED), leaf), np.where(new, np.uint16(0), links), self.nodes
        )

    @classmethod
    def concat(cls, trees: Sequence["SubjectTree | None"], sizes: Sequence[int]) -> "SubjectTree | None":
        """Put documents one after the other. The groups are those of the first tree.

        Documents of the others have no place yet, but for those of subjects that people changed: these come
        along as they are, or go to the subject that has their name.
        """
        base = next((tree for tree in trees if tree is not None), None)
        if base is None:
            return None
        joint, leaves, links = base, [], []
        for tree, n in zip(trees, sizes):
            leaf = np.full(n, UNPLACED, np.int32)
            if tree is not None and tree.nodes is base.nodes:
                leaf = tree.leaf
            elif tree is not None:
                nodes, shift = dict(joint.nodes), joint._next_number()
                by_name = {node.name: node.number for node in nodes.values() if node.name}
                now: dict[int, int] = {}
                for number, own in tree.members().items():  # the coarsest first
                    if (node := tree.nodes[number]).is_edited or node.split_from:
                        known = by_name.get(node.name)
                        now[number] = tree._copy(number, shift, now, nodes) if known is None else known
                        leaf[own] = now[number]
                joint = replace(joint, nodes=nodes)
            leaves.append(leaf)
            links.append(np.zeros((len(LEVELS), n), np.uint16) if tree is None else tree.links)
        return SubjectTree(np.concatenate(leaves), np.concatenate(links, axis=1), joint.nodes)

    def _copy(self, number: int, shift: int, now: Mapping[int, int], nodes: dict[int, Node]) -> int:
        """Copy a subject to another tree, below what those above it are there now; return its number."""
        node = self.nodes[number]
        above = next((now[one] for one in self.path(number) if one in now), None)
        if above is not None and nodes[above].level >= node.level:
            above = None
        level = LEVELS[0] if above is None else node.level
        split_from = tuple(shift + one for one in node.split_from)
        copy = replace(node, number=shift + number, level=level, parent=above, split_from=split_from)
        return nodes.setdefault(copy.number, copy).number

    def place(self, nearest: NDArray[np.integer], positions: NDArray[np.intp]) -> "SubjectTree":
        """Give documents at some positions the groups that most of their nearest have."""
        paths = {number: self.path(number) for number in self.nodes}
        leaf = np.where(self.leaf == UNPLACED, np.int32(NO_SUBJECT), self.leaf)
        for position, others in zip(positions.tolist(), self.leaf[nearest].tolist()):
            votes = Counter(node for number in others for node in paths[number])
            leaf[position] = max(others, key=lambda number: sum(votes[node] for node in paths[number]))
        return replace(self, leaf=leaf)

    # -- what people change -----------------------------------------------------------------------------

    def edit(self, kind: SubjectEdit, numbers: Sequence[int], name: str = "") -> "SubjectTree":
        """Rename, merge, split, hide or show subjects; what cannot be is a ValueError that says why."""
        name = self._check_edit(kind, numbers, name)
        nodes = dict(self.nodes)
        first = nodes[numbers[0]]
        if kind == "rename":
            nodes[first.number] = replace(first, name=name)
        elif kind in ("hide", "show"):
            nodes |= {number: replace(nodes[number], is_hidden=kind == "hide") for number in numbers}
        elif kind == "split":
            children = [node for node in nodes.values() if node.parent == first.number]
            if not children:
                raise ValueError(f"subject {first.number} cannot be split: it has no finer ones.")
            for one in children:
                split_from = (*first.split_from, first.number, *one.split_from)
                nodes[one.number] = replace(
                    one, level=first.level, parent=first.parent, split_from=split_from
                )
            del nodes[first.number]
            # Documents that are in no finer one stay in the one above.
            above = NO_SUBJECT if first.parent is None else first.parent
            return SubjectTree(
                np.where(self.leaf == first.number, np.int32(above), self.leaf), self.links, nodes
            )
        else:
            return self._merge(nodes, numbers, name)
        return replace(self, nodes=nodes)

    def _check_edit(self, kind: str, numbers: Sequence[int], name: str) -> str:
        if kind not in get_args(SubjectEdit):
            raise ValueError(f"kind must be one of {', '.join(get_args(SubjectEdit))}; got {kind!r:.40}.")
        wrong = [number for number in numbers if number not in self.nodes]
        if wrong or not numbers:
            raise ValueError(
                f"subjects must be numbers of subjects of this index; got {wrong or numbers!r:.60}."
            )
        if not isinstance(name, str) or len(name) > MAX_NAME:
            raise ValueError(f"name must be a text of at most {MAX_NAME} characters.")
        if kind == "rename" and not (name.strip() and len(numbers) == 1):
            raise ValueError("rename wants one subject and a name.")
        name = name.strip()
        for node in self.nodes.values():
            if name and node.name == name and node.number not in numbers:
                raise ValueError(
                    f"subject {node.number} has the name {name!r} already. Merge them, or take another."
                )
        return name

    def _merge(self, nodes: dict[int, Node], numbers: Sequence[int], name: str) -> "SubjectTree":
        numbers = list(dict.fromkeys(numbers))
        if len(numbers) < 2:
            raise ValueError(f"merge wants two subjects or more, got {numbers!r:.60}.")
        for number in numbers:
            if inside := set(self.path(number)[1:]) & set(numbers):
                raise ValueError(f"subject {number} lies in subject {inside.pop()}: they are one already.")
        given = [nodes[number].name for number in numbers if nodes[number].name]
        if len(given) > 1 and not name:
            raise ValueError(
                f"people named both: {' and '.join(map(repr, given))}. Give the merged subject a name, too."
            )
        target = min((nodes[number] for number in numbers), key=lambda node: node.level)
        gone = [number for number in numbers if number != target.number]
        leaf = np.where(np.isin(self.leaf, gone), np.int32(target.number), self.leaf)
        nodes = {number: node for number, node in nodes.items() if number not in gone}
        for node in [node for node in nodes.values() if node.parent in gone]:
            nodes[node.number] = replace(node, parent=target.number)
        nodes[target.number] = replace(
            target, name=name or "".join(given), terms=None, is_chaff=False, is_hidden=False, is_merged=True
        )
        above = [one for number in numbers for one in self.path(number)[1:]]
        return SubjectTree(leaf, self.links, nodes)._tidy(above)

    def _tidy(self, changed: Iterable[int]) -> "SubjectTree":
        """Name subjects anew that have other documents now; if one is an only part, it takes the place."""
        nodes, members = dict(self.nodes), self.members()
        for number in sorted(set(changed), key=lambda number: -nodes[number].level):  # the finest first
            own = nodes[number] = replace(nodes[number], terms=None)
            parts = [node for node in nodes.values() if node.parent == number and node.number in members]
            n_own = len(members.get(number, ()))
            is_whole = [len(members[part.number]) == n_own for part in parts] or [not n_own]
            if all(is_whole) and not own.is_edited:
                del nodes[number]
                for part in parts:
                    nodes[part.number] = replace(part, level=own.level, parent=own.parent)
        return replace(self, nodes=nodes)

    def keep_edits(self, old: "SubjectTree") -> "SubjectTree":
        """Give what people changed in an older tree of the same documents to the subjects of this one.

        A subject of the old tree that is much the same here gives its name, or is split as it was. One that
        is no more stays, with its documents and what lies in it; so do the parts of one that has none here.
        """
        before, shift = old.members(), self._next_number()
        tree, kept = self, {number for number in before if old.nodes[number].is_edited}
        splits = {split: depth for one in before for depth, split in enumerate(old.nodes[one].split_from)}
        for split in sorted(splits, key=lambda split: splits[split]):  # the coarsest first
            parts = [number for number in before if split in old.nodes[number].split_from]
            found, _ = _find_alike(
                np.unique(np.concatenate([before[part] for part in parts])), tree.members()
            )
            if found is not None and any(node.parent == found for node in tree.nodes.values()):
                tree = tree.edit("split", [found])
            elif found is not None:  # its other documents go to the subjects of their nearest
                kept |= set(parts)
                leaf = np.where(tree.leaf == found, np.int32(UNPLACED), tree.leaf)
                nodes = {number: node for number, node in tree.nodes.items() if number != found}
                tree = SubjectTree(leaf, tree.links, nodes)
        nodes, leaf, members = dict(tree.nodes), tree.leaf.copy(), tree.members()
        now: dict[int, int] = {}  # the numbers of those that are kept, and of what lies in those that stay
        stay: set[int | None] = set()
        for number, own in before.items():  # the coarsest first
            node = old.nodes[number]
            if node.parent not in stay and number not in kept:
                continue
            best, alike = _find_alike(own, members)
            if node.parent in stay or best is None or (node.is_merged and alike < 0.9):
                now[number] = old._copy(number, shift, now, nodes)
                leaf[own] = now[number]
                stay.add(number)
            else:
                now[number] = best
                nodes[best] = replace(
                    nodes[best], name=node.name, is_hidden=node.is_hidden, is_merged=node.is_merged
                )
                del members[best]  # another cannot be the same
        return SubjectTree(leaf, self.links, nodes)._tidy(nodes)

    def _next_number(self) -> int:
        """Return a number above those of all subjects, also of those that people split."""
        return 1 + max((max(number, *node.split_from, -1) for number, node in self.nodes.items()), default=-1)

    # -- files ------------------------------------------------------------------------------------------

    def to_parts(self) -> tuple[list[dict[str, Any]], dict[str, NDArray[Any]]]:
        """Return what a file holds of it: the nodes, and arrays."""
        return [asdict(node) for node in self.nodes.values()], {"leaf": self.leaf, "links": self.links}

    @classmethod
    def from_parts(
        cls, written: Iterable[Mapping[str, Any]], leaf: NDArray[Any], links: NDArray[Any], n_documents: int
    ) -> Self:
        """Make a tree from what :meth:`to_parts` gave. What it cannot have given is a ValueError."""
        nodes = {}
        for fields in written:
            node = Node(**fields)
            terms = None if node.terms is None else tuple(map(str, node.terms))
            name, split_from = str(node.name)[:MAX_NAME], tuple(node.split_from)
            nodes[node.number] = replace(node, terms=terms, name=name, split_from=split_from)
        good = all(
            all(type(one) is int and 0 <= one < MAX_NUMBER for one in (number, *node.split_from))
            and node.level in LEVELS
            and (node.parent is None or (node.parent in nodes and nodes[node.parent].level < node.level))
            for number, node in nodes.items()
        )
        good = good and leaf.shape == (n_documents,) and leaf.dtype == np.int32
        good = good and links.shape == (len(LEVELS), n_documents) and links.dtype == np.uint16
        if not good or not np.isin(leaf, [NO_SUBJECT, UNPLACED, *nodes]).all():
            raise ValueError("its subjects are not those of its documents.")
        return cls(leaf, links, nodes)


def _find_alike(
    wanted: NDArray[np.intp], members: Mapping[int, NDArray[np.intp]]
) -> tuple[int | None, float]:
    """Find the subject that has most of some documents and few others, and the Jaccard index of the two."""
    best, most = None, _MIN_SAME
    for number, own in members.items():
        both = len(np.intersect1d(own, wanted, assume_unique=True))
        alike = both / (len(own) + len(wanted) - both)
        if alike > most:
            best, most = number, alike
    return best, most

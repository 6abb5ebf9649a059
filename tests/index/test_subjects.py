"""Subjects: one hierarchy of named groups, which people change and which stays when documents come and go."""

import json
from dataclasses import replace

import numpy as np
import pytest

import hott
from hott import Corpus, Index
from hott.cli.app import run
from hott.index.documents import Documents
from hott.index.subject_tree import UNPLACED, Node, SubjectTree
from hott.index.subjects import default_min_size, name_subjects
from hott.terms import TermStatistics
from hott.terms.sets import quote_sentences

ARTICLES = hott.demo.corpus()
LABELS = dict(zip(ARTICLES.ids, ARTICLES.labels))


@pytest.fixture(scope="module")
def built():
    some = [i for i, id in enumerate(ARTICLES.ids) if i % 4]
    index = Index.build(ARTICLES[some], n_models=2, iterations=40)
    index.subjects()
    return index


@pytest.fixture
def index(built):
    """The same each time: a change puts another snapshot in the place of this one."""
    return Index(built.model, built.snapshot)


def test_every_name_is_unique_and_no_two_begin_alike(index):
    every = index.subjects().all
    assert len({subject.name for subject in every}) == len(every)
    first = [subject.terms[0].casefold() for subject in every]
    assert len(set(first)) == len(first)


def test_finer_subjects_lie_in_coarser_ones(index):
    subjects = index.subjects()
    assert subjects.at(1)[0].parent is None
    for subject in subjects.all:
        children = subjects.children(subject)
        assert {id for child in children for id in child.ids} <= set(subject.ids)
        assert all(child.level > subject.level and child.size < subject.size for child in children)
        assert subject in subjects.of(subject.ids[0])
    assert [len(subjects.at(level)) for level in (1, 2, 3, 4)] == sorted(
        len(subjects.at(k)) for k in (1, 2, 3, 4)
    )


def test_subjects_are_those_of_the_articles_and_their_examples_are_titles(index):
    subjects = index.subjects()
    right = 0
    for subject in subjects:
        labels = [LABELS[id] for id in subject.ids]
        right += labels.count(max(set(labels), key=labels.count))
        assert set(subject.examples) <= set(index.names)
        assert len(subject.examples) == 3
    assert right > 0.8 * len(index)
    groups = subjects.groups()
    assert all((groups == subject.number).sum() == subject.size for subject in subjects)


def test_documents_without_titles_are_quoted():
    sky = ["The comet has a long tail of dust. It was seen late.", "A comet and its tail of ice."]
    food = ["The bread is baked in an oven. It was hot in there.", "An oven bakes the bread and the cake."]
    texts = [f"{text} Number {i}." for i in range(6) for text in (*sky, *food)]
    index = Index.build(texts, n_topics=2, n_models=1)
    for subject in index.subjects(level=1):
        assert all(any(example in text for text in texts) for example in subject.examples)
        assert any(term.split()[0] in " ".join(subject.examples) for term in subject.terms)


def test_quotes_are_whole_sentences_where_there_are_some():
    whole = "A comet in the sky is made of the ice that it met."
    texts = [
        "12 comets # the ice of a comet = the comet's dust of ice and { comet } ice in the begin",
        f"O the comet, the ice and the comet, its ice and a comet of ice:\n\n{whole}",
        "It was late in the year.",
    ]
    statistics = TermStatistics.of(texts, "english")
    first, second, last = quote_sentences(texts, ("comet", "ice"), statistics)
    assert first.startswith("12 comets")
    assert (second, last) == (whole, "")
    assert quote_sentences(texts, ("comet", "ice"), statistics, 1) == ["", whole, ""]


def test_what_people_change_survives_files_documents_and_new_topics(index, tmp_path):
    first, second, third = (subject.number for subject in index.subjects(level=1)[:3])
    members = set(index.subjects().find(first).ids)
    index.edit_subjects("rename", first, "my subject")
    index.edit_subjects("hide", second)
    index.save(tmp_path / "a.hott")
    opened = hott.open(tmp_path / "a.hott")
    new = [i for i in range(len(ARTICLES)) if i % 4 == 0]
    for step in (
        lambda: None,
        lambda: opened.add(ARTICLES[new]),
        lambda: opened.remove(ARTICLES.ids[0]),
        lambda: opened.update(
            Corpus(["Planets orbit the sun, and moons orbit planets."], ids=[ARTICLES.ids[1]])
        ),
    ):
        step()
        found = opened.subjects(level=1).find("my subject")
        assert found.number == first
        assert len(members - set(found.ids)) <= 2
        assert second not in {subject.number for subject in opened.subjects().all}
        assert third in {subject.number for subject in opened.subjects().all}
    refitted = opened.refit()
    assert set(refitted.subjects().find("my subject").ids) == set(found.ids)


def test_new_documents_go_to_the_subjects_of_their_nearest(index):
    before = {subject.number: subject.name for subject in index.subjects().all}
    main = {}
    for subject in index.subjects():
        labels = [LABELS[id] for id in subject.ids]
        main[subject.number] = max(set(labels), key=labels.count)
    new = [i for i in range(len(ARTICLES)) if i % 4 == 0]
    index.add(ARTICLES[new])
    assert (index.snapshot.subjects.leaf == UNPLACED).sum() == len(new)
    subjects = index.subjects()
    after = {subject.number: subject.name for subject in subjects.all}
    assert after.items() <= before.items()  # the smallest may be too small for a larger collection
    assert len(after) >= len(before) - 2
    groups = subjects.groups()
    right = [main[groups[index.documents.position(ARTICLES.ids[i])]] == ARTICLES.labels[i] for i in new]
    assert np.mean(right) > 0.7


def test_merging_two_that_people_named_wants_a_name(index):
    a, b, c = (subject.number for subject in index.subjects(level=1)[:3])
    together = {id for number in (a, b) for id in index.subjects().find(number).ids}
    index.edit_subjects("rename", a, "one")
    index.edit_subjects("rename", b, "two")
    with pytest.raises(ValueError, match=r"people named both: 'one' and 'two'"):
        index.edit_subjects("merge", [a, b])
    index.edit_subjects("merge", [a, b], "both")
    found = index.subjects(level=1).find("both")
    assert set(found.ids) == together
    index.edit_subjects("merge", [c, found.number])
    assert index.subjects(level=1).find("both").size > len(together)
    with pytest.raises(ValueError, match="has the name 'both' already"):
        index.edit_subjects("rename", index.subjects(level=1)[1].number, "both")


def test_an_edit_leaves_the_names_of_others_as_they_were_seen(index):
    tree = index.subjects().tree
    unnamed = {number: replace(node, terms=None) for number, node in tree.nodes.items()}
    index = Index(index.model, index.snapshot.with_subjects(SubjectTree(tree.leaf, tree.links, unnamed)))
    first, second, *others = (subject.number for subject in index.subjects(level=1))
    seen = {number: index.subjects().find(number).terms for number in others}
    index = Index(index.model, index.snapshot.with_subjects(SubjectTree(tree.leaf, tree.links, unnamed)))
    index.edit_subjects("merge", [first, second])
    assert {number: index.snapshot.subjects.nodes[number].terms for number in others} == seen


def test_splitting_puts_the_finer_ones_in_the_place_of_a_subject(index):
    subjects = index.subjects(level=1)
    coarse = next(subject for subject in subjects if subjects.children(subject))
    parts = {child.number for child in subjects.children(coarse)}
    index.edit_subjects("split", coarse.number)
    after = {subject.number for subject in index.subjects(level=1)}
    assert coarse.number not in after
    assert parts <= after
    leaf = next(subject for subject in subjects.all if not subjects.children(subject))
    with pytest.raises(ValueError, match="cannot be split"):
        index.edit_subjects("split", leaf.number)
    with pytest.raises(ValueError, match="must be numbers of subjects"):
        index.edit_subjects("hide", 999)
    with pytest.raises(ValueError, match="kind must be one of"):
        index.edit_subjects("paint", leaf.number)


def test_refreshing_says_what_changed_and_keeps_what_people_said(index):
    assert not index.refresh_subjects()
    renamed, merged, into = (subject.number for subject in index.subjects(level=1)[:3])
    index.edit_subjects("rename", renamed, "mine")
    index.edit_subjects("merge", [merged, into])
    kept, both = (set(index.subjects().find(which).ids) for which in ("mine", merged))
    index.add(ARTICLES[[i for i in range(len(ARTICLES)) if i % 4 == 0]])
    changes = index.refresh_subjects()
    after = index.subjects()
    assert len(kept & set(after.find("mine").ids)) > 0.8 * len(kept)
    assert any(both <= set(subject.ids) for subject in after.all)
    assert (after.groups(1) >= 0).mean() > 0.95
    assert str(changes).endswith("documents moved")


def test_refreshing_keeps_splits_also_of_parts():
    some = [i for i in range(len(ARTICLES)) if i % 4]
    index = Index.build(ARTICLES[some], n_models=2, iterations=40, encoder=None)  # has parts of parts
    subjects = index.subjects(level=1)
    whole = next(
        subject for subject in subjects if any(subjects.children(part) for part in subjects.children(subject))
    )
    index.edit_subjects("split", whole.number)
    parts = {one.ids for one in index.subjects(level=1)} - {one.ids for one in subjects}
    assert not index.refresh_subjects()
    after = index.subjects(level=1)
    assert parts <= {one.ids for one in after}
    assert whole.ids not in {one.ids for one in after.all}
    part = next(one for one in after if one.ids in parts and after.children(one))
    index.edit_subjects("split", part.number)
    for change in (lambda: index.add(ARTICLES[::4]), lambda: index.remove(ARTICLES.ids[::4])):
        change()
        index.refresh_subjects()
        shown = index.subjects(level=1)
        for split in (whole, part):
            assert all(len(set(split.ids) & set(one.ids)) <= 0.8 * len(split.ids) for one in shown)


def _tree(leaf, *nodes):
    """Make a tree of documents: the leaf of each, and (number, level, parent) of each subject."""
    leaf = np.array(leaf, np.int32)
    nodes = {number: Node(number, level, parent) for number, level, parent in nodes}
    return SubjectTree(leaf, np.zeros((4, len(leaf)), np.uint16), nodes)


def test_parts_of_a_split_stay_when_the_subject_has_none_any_more():
    old = _tree(
        [1] * 5 + [3] * 3 + [4] * 2 + [5] * 4,
        (0, 1, None),
        (1, 2, 0),
        (2, 2, 0),
        (3, 3, 2),
        (4, 3, 2),
        (5, 1, None),
    )
    old = old.edit("split", [0]).edit("split", [2])
    new = _tree([0] * 10 + [1] * 4, (0, 1, None), (1, 1, None)).keep_edits(old)
    assert [own.tolist() for own in new.members().values()] == [
        [10, 11, 12, 13],
        [0, 1, 2, 3, 4],
        [5, 6, 7],
        [8, 9],
    ]
    again = _tree([0] * 10 + [1] * 4, (0, 1, None), (1, 1, None)).keep_edits(new)
    assert sorted(map(len, again.members().values())) == [2, 3, 4, 5]
    assert len(set(again.nodes)) == len(again.nodes) == 4


def test_a_name_inside_a_merged_subject_stays_when_subjects_are_found_anew():
    nodes = (0, 1, None), (1, 1, None), (2, 2, 0), (3, 2, 0)
    old = _tree([2] * 4 + [3] * 4 + [1] * 4, *nodes).edit("merge", [0, 1]).edit("rename", [3], "mine")
    found = _tree([2] * 4 + [3] * 4 + [1] * 4, *nodes).keep_edits(old)
    (mine,) = (number for number, node in found.nodes.items() if node.name == "mine")
    members = found.members()
    assert members[mine].tolist() == [4, 5, 6, 7]
    assert sorted(members[found.nodes[mine].parent].tolist()) == list(range(12))
    assert found.nodes[found.nodes[mine].parent].is_merged


def test_a_subject_that_lost_documents_is_named_anew_and_its_only_part_takes_its_place():
    tree = _tree([2] * 4 + [3] * 4 + [1] * 4, (0, 1, None), (1, 1, None), (2, 2, 0), (3, 2, 0))
    named = SubjectTree(
        tree.leaf, tree.links, {k: replace(node, terms=(f"t{k}",)) for k, node in tree.nodes.items()}
    )
    merged = named.edit("merge", [1, 3])
    assert {k: own.tolist() for k, own in merged.members().items()} == {1: [*range(4, 12)], 2: [0, 1, 2, 3]}
    assert (merged.nodes[2].level, merged.nodes[2].parent, 0 in merged.nodes) == (1, None, False)
    larger = named.edit("rename", [0], "both").edit("merge", [1, 3]).nodes[0]
    assert (larger.name, larger.terms) == ("both", None)


def test_a_subject_without_a_term_of_its_own_is_not_shown():
    texts = ["A comet is a comet."] * 8 + ["It is there that it was."] * 2
    tree = _tree([1] * 4 + [0] * 4 + [-1] * 2, (0, 1, None), (1, 2, 0))
    statistics = TermStatistics.of(texts, "english")
    documents = Documents.of(Corpus(texts))
    assert [node.terms for node in name_subjects(documents, statistics, tree, 3).nodes.values()] == [
        ("comet",),
        (),
    ]


def test_names_come_along_when_indexes_are_merged(index):
    other = index.with_documents(ARTICLES[[i for i in range(len(ARTICLES)) if i % 4 == 0]])
    theirs = other.subjects(level=1)[0]
    other.edit_subjects("rename", theirs.number, "from elsewhere")
    ours = index.subjects(level=1)[1].number
    index.edit_subjects("rename", ours, "from here")
    index.merge(other)
    subjects = index.subjects()
    assert set(subjects.find("from elsewhere").ids) >= set(theirs.ids)
    assert subjects.find("from here").number == ours
    assert (subjects.groups(4) >= 0).all()


def test_what_people_hid_merged_and_split_comes_along_when_indexes_are_merged(index):
    index, other = index.with_documents(ARTICLES[::4]), index
    theirs = other.subjects(level=1)
    split = next(one for one in theirs if theirs.children(one))
    rest = [one for one in theirs if one is not split]
    parts = {one.ids for one in theirs.children(split)}
    other.edit_subjects("hide", rest[0].number)
    other.edit_subjects("merge", [rest[1].number, rest[2].number])
    other.edit_subjects("split", split.number)
    ours = {one.number for one in index.subjects().all}
    index.merge(other)
    after = index.subjects()
    seen = {id for one in after.all for id in one.ids}
    assert not set(rest[0].ids) & seen
    together = {*rest[1].ids, *rest[2].ids}
    merged = [one for one in after.at(1) if together <= set(one.ids)]
    assert len(merged) == 1
    assert merged[0].number not in ours
    came = [set(one.ids) for one in after.at(1) if one.number not in ours]
    large = [part for part in parts if len(part) >= 4]
    assert large
    assert all(any(set(part) <= own for own in came) for part in large)
    assert not any(set(split.ids) <= own for own in came)
    index.refresh_subjects()
    seen = {id for one in index.subjects().all for id in one.ids}
    assert len(set(rest[0].ids) & seen) < 0.2 * rest[0].size  # a few of them are in another subject now


def test_a_merged_index_keeps_what_lies_in_what():
    mine = _tree([0, 0, 1], (0, 1, None), (1, 1, None)).edit("rename", [1], "sky").edit("rename", [0], "mine")
    other = _tree([0, 1, 1, 2], (0, 1, None), (1, 2, 0), (2, 1, None))
    other = other.edit("rename", [0], "animals").edit("hide", [1]).edit("rename", [2], "sky")
    both = SubjectTree.concat([mine, None, other], [3, 1, 4])
    found = {both.nodes[k].name or "hidden": own.tolist() for k, own in both.members().items()}
    assert found == {"sky": [2, 7], "animals": [4, 5, 6], "hidden": [5, 6], "mine": [0, 1]}
    assert both.leaf[3] == UNPLACED
    (hidden,) = (node for node in both.nodes.values() if node.is_hidden)
    assert both.nodes[hidden.parent].name == "animals"


def test_a_fine_subject_that_comes_from_another_index_is_seen_at_every_level():
    mine = _tree([0, 0], (0, 1, None))
    other = _tree([1, 1, 0], (0, 1, None), (1, 2, 0)).edit("rename", [1], "sky")
    both = SubjectTree.concat([mine, other], [2, 3])
    (sky,) = (number for number, node in both.nodes.items() if node.name)
    assert [both.at(level).tolist() for level in (1, 4)] == [[0, 0, sky, sky, UNPLACED]] * 2


@pytest.mark.parametrize("seed", range(6))
def test_names_survive_whatever_is_done_at_random(built, seed):
    """Each name stays at most of the documents that it was given to, until people split or merge it away."""
    chance = np.random.default_rng(seed)
    index, given = Index(built.model, built.snapshot), {}
    outside = [i for i in range(len(ARTICLES)) if i % 4 == 0]
    for step in range(8):
        shown = index.subjects(int(chance.integers(1, 5)))
        one, other = (shown[int(place)] for place in chance.choice(len(shown), 2, replace=False))
        match chance.choice(
            ["rename", "rename", "merge", "split", "add", "remove", "refresh", "merge index"]
        ):
            case "rename":
                index.edit_subjects("rename", one.number, f"name {step}")
                given.pop(one.name, None)
                given[f"name {step}"] = set(one.ids)
            case "merge":
                both = {one.name, other.name}
                lies_in = {one.number, other.number} & {*index.subjects().tree.path(one.number)[1:]}
                lies_in |= {one.number, other.number} & {*index.subjects().tree.path(other.number)[1:]}
                if not lies_in:
                    index.edit_subjects("merge", [one.number, other.number], f"name {step}")
                    given = {name: ids for name, ids in given.items() if name not in both}
                    given[f"name {step}"] = {*one.ids, *other.ids}
            case "split" if shown.children(one):
                index.edit_subjects("split", one.number)
                given.pop(one.name, None)
            case "add" if outside:
                index.add(ARTICLES[[outside.pop() for _ in range(min(9, len(outside)))]])
            case "remove":
                index.remove([str(id) for id in chance.choice(index.documents.ids, 5, replace=False)])
            case "refresh":
                index.refresh_subjects()
                assert not (again := index.refresh_subjects()).added + again.removed
            case "merge index" if outside:
                index.merge(
                    built.with_documents(ARTICLES[[outside.pop() for _ in range(min(9, len(outside)))]])
                )
        subjects, here = index.subjects(), {*index.documents.ids}
        assert len({one.name for one in subjects.all}) == len(subjects.all)
        for name, ids in given.items():
            assert len(ids & here & {*subjects.find(name).ids}) >= 0.6 * len(ids & here)


def test_forged_subjects_are_an_error(index, tmp_path):
    from hott import storage
    from hott.index import persist

    for wrong in ({"parent": 10_000}, {"level": 7}, {"number": 2**40}, {"rows": 3}, {"split_from": ["a"]}):
        header, arrays, tables = persist.to_parts(index.model, index.snapshot)
        nodes = [dict(header["subjects"][0], **wrong), *header["subjects"][1:]]
        storage.write(tmp_path / "x.hott", header | {"subjects": nodes}, arrays, tables)
        with pytest.raises(storage.StorageError):
            hott.open(tmp_path / "x.hott").subjects()


def test_shares_over_a_column_tell_what_rose_and_fell(built):
    years = [1990 + i // 15 for i in range(150)]  # documents are in the order of their labels
    documents = built.documents
    corpus = Corpus(
        list(documents[:].texts),
        ids=list(documents.ids),
        labels=list(documents.labels),
        columns={"year": years},
    )
    index = built.with_documents(corpus)
    over = index.subjects(level=1).over("year")
    assert over.groups == tuple(str(year) for year in range(1990, 2000))
    assert over.documents == (15,) * 10
    assert over.shares.sum(axis=0) == pytest.approx(1)
    assert over.rose
    assert over.fell
    for subject, before, after in (*over.rose, *over.fell):
        inside = [years[index.documents.position(id)] for id in subject.ids]
        assert before == pytest.approx(sum(year < 1995 for year in inside) / 75)
        assert after == pytest.approx(sum(year >= 1995 for year in inside) / 75)
    assert over.rose[0][2] > over.rose[0][1]
    first = over.describe("1990")
    assert first.sentences_a
    assert all(
        any(quote in " ".join(text.split()) for text in corpus.texts[:15]) for quote in first.sentences_a
    )
    typical = over.typical("1990", n=2)
    assert 1 <= len(typical) <= 2
    assert {*typical} <= {*corpus.ids[:15]}
    most = over.subjects[int((over.shares[:, 0] - over.shares.mean(axis=1)).argmax())]
    assert typical[0] == next(id for id in most.ids if id in corpus.ids[:15])
    quotes = over.quotes("1990", n=2)
    assert tuple(id for id, _ in quotes) == typical
    for id, quote in quotes:
        assert quote.removesuffix(" …") in " ".join(corpus.texts[corpus.ids.index(id)].split())
    assert any(term[:4].casefold() in quotes[0][1].casefold() for term in most.terms)
    by_label = index.subjects().over("label")
    assert by_label.rose == by_label.fell == ()
    with pytest.raises(ValueError, match="there is no group '1'"):
        over.describe("1")


def test_the_command_line_shows_changes_and_keeps_subjects(index, tmp_path, capsys):
    path = str(tmp_path / "a.hott")
    index.save(path)
    number = index.subjects(level=1)[0].number
    assert run(["subjects", path, "--level", "1", "--rename", f"{number}=my own"]) == 0
    assert "my own" in capsys.readouterr().out
    assert hott.open(path).subjects(level=1).find("my own").number == number
    assert run(["subjects", path, "--refresh"]) == 0
    assert "0 gone" in capsys.readouterr().out
    assert run(["subjects", path, "--level", "1", "--hide", str(number)]) == 0
    out = capsys.readouterr().out
    assert "documents are in no subject that is shown" in out
    assert f"hidden: my own; --show {number} brings it back" in out
    assert run(["subjects", path, "--show", str(number)]) == 0
    assert "hidden" not in capsys.readouterr().out
    trends = index.subjects().over("label")
    assert run(["subjects", path, "--over", "label"]) == 0
    out = capsys.readouterr().out
    for group in trends.groups:
        typical = index.documents.names([index.documents.position(trends.typical(group)[0])])[0]
        assert f"  {typical} (" in out[out.rindex(f"\n{group}\n") :]
    assert run(["subjects", path, "--over", "label", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    for group, typical in found["typical"].items():
        assert [(one["id"], one["sentence"]) for one in typical] == [*trends.quotes(group)]
    assert found["rose"] == found["fell"] == []
    assert run(["subjects", path, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert {one["number"] for one in found} == {subject.number for subject in index.subjects().all}
    assert run(["subjects", path, "--split", "999"]) == 1


def test_a_table_of_quoted_subjects_is_no_wider_than_people_read(tmp_path, capsys):
    rows = (
        "The comet in the sky is made of ice and of dust, and",
        "The bread in the oven is made of flour, and",
    )
    texts = [f"{text} {'it is so ' * 20}{k}." for k in range(6) for text in rows]
    Index.build(texts, n_topics=2, n_models=1).save(tmp_path / "a.hott")
    assert run(["subjects", str(tmp_path / "a.hott"), "--level", "1"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) < 150
    assert lines[2].endswith("…")


def test_the_smallest_cluster_grows_with_the_collection():
    assert [default_min_size(n) for n in (10, 200, 20_000, 1_000_000)] == [3, 4, 35, 250]
    index = hott.Index.build(hott.demo.corpus(), n_topics=8, n_models=1, iterations=20)
    for granularity in (2, 4):
        clusters = index.clusters(granularity=granularity)
        assert [c.ids for c in clusters] == [c.ids for c in index.clusters(4, granularity=granularity)]
        assert min(len(cluster.ids) for cluster in clusters) >= 4

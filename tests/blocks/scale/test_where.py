"""Which worker of a cluster gets an item, told without a cluster."""

from types import SimpleNamespace

from hott.blocks.scale import OnCluster


def place(item, *workers, home=lambda item: item):
    client = SimpleNamespace(nthreads=lambda: dict.fromkeys(workers, 1))
    return OnCluster._where(SimpleNamespace(client=client), item, home)


def test_items_of_one_home_go_to_one_worker_where_there_is_any():
    assert place(5, "b", "a") == {"workers": ["b"], "allow_other_workers": True}
    assert place(4, "b", "a") == {"workers": ["a"], "allow_other_workers": True}
    assert place(4) == {}
    assert place(4, "a", home=None) == {}

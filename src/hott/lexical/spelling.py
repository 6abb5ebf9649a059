"""How far apart two spellings are."""


def edits(a: str, b: str, at_most: int) -> int | None:
    """How many letters to put in, leave out, change or swap with the next make one word the other.

    Parameters
    ----------
    a, b : str
    at_most : int
        Beyond so many the answer is None, which is quickly found.

    Examples
    --------
    >>> edits("leauge", "league", 2), edits("olimpic", "olympic", 2), edits("criket", "tickets", 2)
    (1, 1, None)
    """
    a, b = _without_common_start(a, b)
    a, b = (word[::-1] for word in _without_common_start(a[::-1], b[::-1]))
    if abs(len(a) - len(b)) > at_most:
        return None
    if not a or not b:
        return len(a) + len(b)
    if at_most == 0:
        return None
    ways = [(a[1:], b), (a, b[1:]), (a[1:], b[1:])]
    if a[:2] == b[1::-1]:
        ways.append((a[2:], b[2:]))
    found = [n for one, other in ways if (n := edits(one, other, at_most - 1)) is not None]
    return 1 + min(found) if found else None


def _without_common_start(a: str, b: str) -> tuple[str, str]:
    n = next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))
    return a[n:], b[n:]

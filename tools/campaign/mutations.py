"""Small changes to bytes and to JSON, of the kind that accidents and ill will make."""

import copy
import random
from typing import Any

INTERESTING = [
    0,
    1,
    2,
    7,
    63,
    64,
    127,
    128,
    255,
    256,
    1000,
    2**15,
    2**16,
    2**31 - 1,
    2**31,
    2**32,
    2**62,
    2**63 - 1,
]


def changed_bytes(data: bytes, rng: random.Random, tokens: list[bytes] | None = None) -> bytes:
    """Bytes with one to four changes."""
    out = bytearray(data)
    for _ in range(rng.choice([1, 1, 1, 2, 4])):
        place = rng.randrange(len(out) + 1)
        length = min(rng.choice([1, 1, 2, 4, 8, 16, 64, 1000]), len(out) - place)
        match rng.randrange(9):
            case 0 if length:
                out[place] ^= 1 << rng.randrange(8)
            case 1 if length:
                out[place] = rng.choice([0, 1, 0x0A, 0x20, 0x22, 0x7F, 0x80, 0xFF])
            case 2:
                del out[place : place + length]
            case 3:
                out[place:place] = rng.randbytes(rng.choice([1, 2, 8, 100]))
            case 4:
                out[place:place] = out[place : place + length] * rng.choice([1, 2, 50])
            case 5:
                del out[place:]
            case 6:
                number = rng.choice(INTERESTING) * rng.choice([1, -1])
                size = rng.choice([2, 4, 8])
                packed = (number % (1 << 8 * size)).to_bytes(size, "little")
                out[place : place + size] = packed
            case 7:
                source = rng.randrange(len(out) + 1)
                out[place : place + length] = out[source : source + length]
            case 8 if tokens:
                token = rng.choice(tokens)
                out[place : place + rng.choice([0, len(token)])] = token
    return bytes(out)


def changed_json(value: Any, rng: random.Random) -> Any:
    """A JSON value with one place in it changed."""
    places = list(_places(value))
    if not places:
        return odd(rng)
    holder, key = rng.choice(places)
    match rng.randrange(6):
        case 0 if isinstance(holder, dict):
            del holder[key]
        case 1 if isinstance(holder, list):
            holder.insert(key, holder[key])
        case 2 if isinstance(holder[key], int) and not isinstance(holder[key], bool):
            holder[key] += rng.choice([-1, 1, -64, 64, 2**31, -(2**31)])
        case 3:
            other, there = rng.choice(places)
            holder[key] = copy.deepcopy(other[there])
        case _:
            holder[key] = odd(rng)
    return value


def odd(rng: random.Random) -> Any:
    """A value that nobody expects."""
    return rng.choice(
        [
            None,
            True,
            False,
            0,
            -1,
            1,
            3,
            64,
            2**31,
            2**63,
            10**30,
            0.5,
            -0.0,
            1e308,
            float("nan"),
            float("inf"),
        ]
        + ["", "x", "english", "fixed-point", "\ud800", "\x1b[2J", "x" * 10_000, [], {}, [[]], [0], {"": {}}]
        + [[1, 2], [0] * 1000, {"name": "x"}]
    )


def _places(value: Any) -> Any:
    if isinstance(value, dict):
        for key in list(value):
            yield value, key
            yield from _places(value[key])
    elif isinstance(value, list):
        for number in range(min(len(value), 20)):
            yield value, number
            yield from _places(value[number])

"""Learn the bundled encoder, and pack it for the wheel.

    python tools/make_encoder.py learn PASSAGES... --teacher MODEL --raw encoder-raw.npz
    python tools/make_encoder.py pack --raw encoder-raw.npz

Both write src/hott/embeddings/encoder/data/encoder.npz. ``learn`` needs torch, sentence-transformers and a
GPU: some five minutes of an H200 for two million passages. PASSAGES are files of JSON lines ``[source,
text]`` (.jsonl, .jsonl.xz), texts of 5 to 150 words; --leave-out names sources that are not to be learned
from. MODEL is a folder with all-mpnet-base-v2, or another model of sentence-transformers. The words are the
100,000 most frequent ones of the passages. ``pack`` needs none of this: it rounds what was learned before.

The encoder is taught to say of a passage what the teacher says: the loss is 1 - cosine with the teacher's
vector, on its 256 principal axes, and ten times the mean squared difference of all cosines within a batch.
The table starts at the words encoded alone by the teacher and the layers as the identity. NOTICE says what
the bundled one was learned from: it was learned by a prototype of this loop, and packed by this tool.

What a size costs is measured by --check PASSAGES: the cosine of each passage, encoded by the packed encoder,
with the same passage encoded by what was learned.
"""

import argparse
import json
import lzma
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hott.embeddings.encoder.model import BUNDLED, Encoder
from hott.embeddings.encoder.packed import HEADS, N_LAYERS, SIZE, Layer, Linear, Norm, PackedEncoder

WORD = re.compile(r"[^\W\d_]+")
N_WORDS = 100_000
STEP = 0.16
"""Of the table, geometric mean over words: with it the table takes 9.5 MB."""
FINENESS = 0.3
"""The step of a word grows with this power of its rank: frequent words are kept more exactly. Cosines of
passages with what was learned: .983 without, .991 at 0.1, .995 at 0.2, .9965 at 0.3, all of 9.5 MB; product
quantisation to 64 bytes a word, 6.4 MB, has .954."""
LAYER_PARTS = {"attention": "qkv", "output": "o", "up": "a", "down": "b"}
NORMS = {"attention_norm": "n1", "forward_norm": "n2"}


def read_passages(paths: list[Path], leave_out: set[str]) -> Iterator[str]:
    for path in paths:
        opener: Any = lzma.open if path.suffix == ".xz" else open
        with opener(path, "rt", encoding="utf-8") as lines:
            for source, text in map(json.loads, lines):
                if source not in leave_out:
                    yield text


# -- packing -----------------------------------------------------------------------------------------------


def round_table(table: NDArray[np.float32]) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Round the vectors of words, the most frequent first, to whole multiples of a scale for each."""
    steps = (np.arange(len(table)) + 100.0) ** FINENESS
    steps *= STEP / np.exp(np.log(steps).mean())
    # Rounding up from .55 rather than .5 costs nothing in exactness and a twentieth less in size.
    scaled = table / steps[:, None]
    codes = np.clip(np.sign(scaled) * np.floor(np.abs(scaled) + 0.45), -127, 127).astype(np.int8)
    whole = codes.astype(np.float64)
    scale = (whole * table).sum(axis=1) / np.maximum(
        (whole**2).sum(axis=1), 1
    )  # the best one for these codes
    return codes, scale.astype(np.float32)


def unpacked_table(raw: dict[str, NDArray]) -> NDArray[np.float32]:
    return raw["table"].astype(np.float32) * (raw["scale"].astype(np.float32) * 4 / 127)


def pack(raw: dict[str, NDArray]) -> PackedEncoder:
    def layer(number: int) -> Layer:
        def array(name: str) -> NDArray[np.float32]:
            return raw[f"blocks_{number}_{name}"].astype(np.float32)

        parts: dict[str, Any] = {
            part: Norm(array(f"{name}_weight"), array(f"{name}_bias")) for part, name in NORMS.items()
        }
        parts |= {
            part: Linear.of(array(f"{name}_weight"), array(f"{name}_bias"))
            for part, name in LAYER_PARTS.items()
        }
        return Layer(**parts)

    words = raw["words"].tobytes().decode().split("\n")
    kept = np.array(
        [WORD.fullmatch(word) is not None for word in words]
    )  # no text has others, as we split it
    codes, scale = round_table(unpacked_table(raw)[kept])
    left, right, gate = (raw[name].astype(np.float32).ravel() for name in ("left", "right", "gate_weight"))
    weights = raw["logw"].astype(np.float32).ravel()
    return PackedEncoder(
        [word for word in words if WORD.fullmatch(word)], codes, scale, weights[kept],
        left, right, gate, float(raw["gate_bias"][0]), tuple(layer(number) for number in range(N_LAYERS)),
    )  # fmt: skip


# -- learning ----------------------------------------------------------------------------------------------


def learn(paths: list[Path], leave_out: set[str], teacher: str, epochs: int) -> dict[str, NDArray]:
    """Teach the encoder what a sentence encoder says of passages."""
    import torch
    from sentence_transformers import SentenceTransformer
    from torch import nn
    from torch.nn import functional as F

    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.manual_seed(0)
    counts: Counter[str] = Counter()
    for text in read_passages(paths, leave_out):
        counts.update(WORD.findall(text.lower()))
    words = [word for word, _ in counts.most_common(N_WORDS)]
    number = {word: i for i, word in enumerate(words)}
    texts, numbers, starts = [], [], [0]
    for text in read_passages(paths, leave_out):
        known = [number[word] for word in WORD.findall(text.lower()) if word in number]
        if len(known) >= 4:
            texts.append(text)
            numbers += known
            starts.append(len(numbers))
    model = SentenceTransformer(teacher, device=device)
    settings = {"batch_size": 512, "convert_to_tensor": True, "normalize_embeddings": True}
    told, alone = model.encode(texts, **settings).float(), model.encode(words, **settings).float()
    mean = told.mean(0)
    _, axes = torch.linalg.eigh(((told - mean).T @ (told - mean)).double())
    axes = axes[:, -SIZE:].flip(1).float()
    target = F.normalize((told - mean) @ axes, dim=1)
    share = torch.bincount(torch.tensor(numbers), minlength=len(words)).float().to(device) / len(numbers)
    first = F.normalize((alone - alone.mean(0)) @ axes, dim=1)

    class Block(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.n1, self.qkv, self.o = nn.LayerNorm(SIZE), nn.Linear(SIZE, 3 * SIZE), nn.Linear(SIZE, SIZE)
            self.n2, self.a, self.b = nn.LayerNorm(SIZE), nn.Linear(SIZE, 2 * SIZE), nn.Linear(2 * SIZE, SIZE)
            for last in (self.o, self.b):
                nn.init.zeros_(last.weight)
                nn.init.zeros_(last.bias)

        def forward(self, x: Any, mask: Any) -> Any:
            n, t, _ = x.shape
            q, k, v = self.qkv(self.n1(x)).view(n, t, 3, HEADS, SIZE // HEADS).permute(2, 0, 3, 1, 4)
            mixed = F.scaled_dot_product_attention(q, k, v, attn_mask=mask[:, None, None])
            x = x + self.o(mixed.transpose(1, 2).reshape(n, t, SIZE))
            return x + self.b(F.gelu(self.a(self.n2(x))))

    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.table = nn.Parameter(first.clone())
            self.logw = nn.Parameter(torch.log(1e-3 / (1e-3 + share))[:, None])
            self.left, self.right = nn.Parameter(torch.zeros(SIZE)), nn.Parameter(torch.zeros(SIZE))
            self.blocks = nn.ModuleList(Block() for _ in range(N_LAYERS))
            self.gate = nn.Linear(SIZE, 1)
            nn.init.zeros_(self.gate.weight)
            nn.init.zeros_(self.gate.bias)

        def forward(self, word: Any, mask: Any) -> Any:
            x = self.table[word] * 4 * mask[..., None]
            x = x + self.left * F.pad(x, (0, 0, 1, 0))[:, :-1] + self.right * F.pad(x, (0, 0, 0, 1))[:, 1:]
            with torch.autocast(device, torch.bfloat16):
                for block in self.blocks:
                    x = block(x, mask)
            x = x.float()
            weight = torch.exp(self.logw[word] + self.gate(x)) * mask[..., None]
            return F.normalize((weight * x).sum(1), dim=1)

    net = Net().to(device)
    table = {"table", "logw"}
    groups = [
        {"params": [p for n, p in net.named_parameters() if n in table], "weight_decay": 0.0},
        {"params": [p for n, p in net.named_parameters() if n not in table], "weight_decay": 0.01},
    ]
    optimizer = torch.optim.AdamW(groups, lr=1e-3, betas=(0.9, 0.99))
    batch, longest = 4096, 96
    steps = epochs * (len(texts) // batch)
    rate = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda i: min(1, (i + 1) / 300) * 0.5 * (1 + np.cos(np.pi * min(1, i / steps)))
    )
    flat, begin = torch.tensor(numbers, device=device), torch.tensor(starts, device=device)
    for step in range(steps):
        if step % (len(texts) // batch) == 0:
            order = torch.randperm(len(texts), device=device)
        chosen = order[step % (len(texts) // batch) * batch :][:batch]
        length = begin[chosen + 1] - begin[chosen]
        skipped = (torch.rand(batch, device=device) * (length - longest + 1).clamp_min(1)).long()
        length = length.clamp_max(longest)
        place = torch.arange(int(length.max()), device=device)[None]
        word = flat[(begin[chosen] + skipped)[:, None] + torch.minimum(place, length[:, None] - 1)]
        mask = (place < length[:, None]) & ((torch.rand(word.shape, device=device) > 0.1) | (place == 0))
        ours, theirs = net(word, mask), target[chosen]
        loss = (1 - (ours * theirs).sum(1)).mean() + 10 * ((ours @ ours.T - theirs @ theirs.T) ** 2).mean()
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        optimizer.step()
        rate.step()
        if step % 500 == 0:
            print(f"{step:,} of {steps:,}: loss {loss.item():.4f}", flush=True)

    raw = {name.replace(".", "_"): p.detach().cpu().numpy() for name, p in net.named_parameters()}
    scale = np.abs(raw["table"]).max(axis=1, keepdims=True)
    raw["table"] = np.rint(raw["table"] / scale * 127).astype(np.int8)
    raw |= {"scale": scale, "words": np.frombuffer("\n".join(words).encode(), np.uint8)}
    return {name: a.astype(np.float16) if a.dtype == np.float32 else a for name, a in raw.items()}


def check(raw: dict[str, NDArray], packed: PackedEncoder, passages: list[str]) -> None:
    """Print how near the packed encoder comes to what was learned."""
    known = set(packed.words)
    kept = [word in known for word in raw["words"].tobytes().decode().split("\n")]
    table = unpacked_table(raw)[kept]
    scale = np.abs(table).max(axis=1) / 127  # as fine as a byte can be
    exact = replace(packed, table=np.rint(table / scale[:, None]).astype(np.int8), table_scale=scale)
    cosines = (Encoder(packed).encode(passages) * Encoder(exact).encode(passages)).sum(axis=1)
    print(
        f"{len(passages):,} passages: cosine {cosines.mean():.4f}, 5 % below {np.percentile(cosines, 5):.4f}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("command", choices=["learn", "pack"])
    parser.add_argument("passages", type=Path, nargs="*")
    parser.add_argument("--raw", type=Path, required=True, help="what was learned, before it is rounded")
    parser.add_argument("--output", type=Path, default=BUNDLED)
    parser.add_argument("--teacher", default="all-mpnet-base-v2")
    parser.add_argument("--leave-out", nargs="*", default=[], metavar="SOURCE")
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument(
        "--check", type=Path, nargs="*", default=[], help="passages to measure the rounding with"
    )
    options = parser.parse_args()
    if options.command == "learn":
        learned = learn(options.passages, set(options.leave_out), options.teacher, options.epochs)
        np.savez(options.raw, **learned)  # type: ignore[arg-type]
    with np.load(options.raw) as file:
        raw = dict(file)
    pack(raw).save(options.output)
    packed = PackedEncoder.load(options.output)
    print(f"{options.output}: {len(packed.words):,} words, {options.output.stat().st_size / 1e6:.2f} MB")
    if options.check:
        check(
            raw,
            packed,
            [text for path in options.check for text in islice(read_passages([path], set()), 500)],
        )


if __name__ == "__main__":
    main()

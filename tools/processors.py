"""Run tests as if on other processors: under other BLAS kernels, numbers of threads and vector instructions.

    python tools/processors.py                     # numbers of every distance and model, then all tests
    python tools/processors.py tests/topics -x     # only these tests; what follows goes to pytest
    python tools/processors.py --numbers           # only the numbers

OpenBLAS and NumPy choose their code by the processor. Here they are told which to choose, as far as this
processor can run it. First some numbers of the library are computed under every setting: each line says
whether they are the same in every bit, or how far apart they are. Then the tests run under every setting.
"""

import json
import os
import subprocess
import sys
import warnings

FEATURES = "AVX512F AVX512CD AVX512_SKX AVX2 FMA3"
SETTINGS = {
    "as it is": {},
    "Prescott": {"OPENBLAS_CORETYPE": "Prescott"},
    "Haswell, one thread": {"OPENBLAS_CORETYPE": "Haswell", "OPENBLAS_NUM_THREADS": "1"},
    "SkylakeX, two threads": {"OPENBLAS_CORETYPE": "SkylakeX", "OPENBLAS_NUM_THREADS": "2"},
    "Zen": {"OPENBLAS_CORETYPE": "Zen"},
    "no wide vectors": {"NPY_DISABLE_CPU_FEATURES": FEATURES, "OPENBLAS_CORETYPE": "Prescott"},
    "core without AVX": {"HOTT_INSTRUCTIONS": "baseline"},
}


def numbers() -> dict[str, list[float]]:
    """Some values of every distance and model, on a corpus made on the spot."""
    import numpy as np
    from scipy import sparse

    from hott import embeddings, topics
    from hott.distances.registry import REGISTRY, Settings
    from hott.distances.vector import DocumentVectors
    from hott.embeddings.nearest import quantize

    warnings.simplefilter("ignore")
    random = np.random.default_rng(0)
    n_words, themes = 400, random.dirichlet(np.full(400, 0.05), size=6)
    counts = sparse.csr_array(np.array([random.multinomial(40, themes[i % 6]) for i in range(120)]))
    names = [f"w{word}" for word in range(n_words)]
    texts = [" ".join(random.permutation(np.repeat(names, row))) for row in counts.toarray()]
    vectors = random.normal(size=(n_words, 50)).astype(np.float32)
    found: dict[str, object] = {}
    for name, entry in REGISTRY.items():
        distance = entry.make(Settings(vectors, n_topics=6, n_models=2)).fit(counts)
        found[f"distance {name}"] = distance.pairwise(counts[:40], counts[40:70])
    encoded = DocumentVectors()
    found["distance of an encoder's vectors"] = encoded.between(encoded.of(vectors))
    found["topics"] = topics.GibbsLDA(6, word_vectors=vectors).fit(counts).components_
    components = topics.GibbsLDA(6).fit(counts).components_
    found["coherence"] = topics.coherence(components, counts)
    near = topics.nearest_weights(quantize(vectors[:300]), vectors[300:])
    found["what new words borrow"] = topics.borrow(components[:, :300], *near)
    trained = embeddings.train(texts, dimensions=20)
    found["vectors that are learned"] = trained.vectors
    return {name: np.asarray(values, float).ravel().tolist() for name, values in found.items()}


def run(setting: dict[str, str], *arguments: str, **how: object) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, **setting}
    return subprocess.run([sys.executable, *arguments], env=environment, text=True, check=False, **how)


def compare_numbers() -> None:
    """Print for every value whether it is the same under all settings."""
    values = {}
    for name, setting in SETTINGS.items():
        done = run(setting, __file__, "--print", stdout=subprocess.PIPE)
        if done.returncode:
            sys.exit(f"{name}: no numbers")
        values[name] = json.loads(done.stdout)
    first = values["as it is"]
    for what, known in first.items():
        scale = max(map(abs, known)) or 1.0
        far = {
            name: max(abs(a - b) for a, b in zip(known, other[what])) / scale
            if len(known) == len(other[what])
            else float("inf")
            for name, other in values.items()
        }
        worst = max(far, key=lambda name: far[name])
        print(f"{what:34}", "the same" if not far[worst] else f"differs by {far[worst]:.1e} ({worst})")


def main(arguments: list[str]) -> int:
    if arguments == ["--print"]:
        print(json.dumps(numbers()))
        return 0
    compare_numbers()
    if arguments == ["--numbers"]:
        return 0
    failed = []
    for name, setting in SETTINGS.items():
        print(f"\n{name}: {' '.join(f'{key}={value!r}' for key, value in setting.items())}", flush=True)
        if run(setting, "-m", "pytest", "-q", *arguments).returncode:
            failed.append(name)
    print(f"\nfailed: {', '.join(failed)}" if failed else "\nall pass")
    return len(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

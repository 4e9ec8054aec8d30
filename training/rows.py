"""The rows a reader learns from, read from the files and sorted into training and dev.

Nothing of a dev article may be trained on. What is kept apart:

* `squad2-dev-other-half`: questions written to look answerable (the adversarial dev), all of it but
  for `ADVERSARIAL_TRAINED` of its articles, which are trained on since the fourth run.
* `squadshifts-amazon`, all of it with its mined negatives, and a third of the articles of
  `squadshifts-new-wiki` with theirs (the mined dev). A mined row whose question stands on one side
  and whose passage stands on the other is left out.
* What still shares text with a training row is taken out of dev.
* `q2-wow`, all of it, and a tenth of `fever` and `scitail` by evidence and by claim (the support
  dev).
* A tenth of the passages of `training/own`, which were written for this project. (Its traps are
  questions on passages that are trained on, and so are all for training.)
"""

from __future__ import annotations

import gzip
import hashlib
import json
import re
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

ADVERSARIAL_DEV = "squad2-dev-other-half"
ADVERSARIAL_TRAINED = 0.5
MINED = "mined-negatives"
WHOLE_SOURCES_APART = ("squadshifts-amazon",)
ARTICLES_APART = "squadshifts-new-wiki"


@dataclass(frozen=True)
class Pair:
    """A question or a claim (`first`) with a passage, and what is true of the two.

    `spans` are the answers in the passage by character; `evidence` is the sentence that holds them.
    """

    task: str  # "answer" or "support"
    source: str
    first: str
    passage: str
    label: bool
    spans: tuple[tuple[int, int], ...] = ()
    evidence: tuple[int, int] | None = None
    title: str = ""
    negative: str = ""
    weight: float = 1.0
    changed_from: str = ""  # the question it was, before some words were exchanged


@dataclass
class Data:
    """Training rows by pool, dev rows by the figure they are for."""

    train: dict[str, list[Pair]] = field(default_factory=dict)
    dev: dict[str, list[Pair]] = field(default_factory=dict)

    def add(self, pool: str, pair: Pair) -> None:
        self.train.setdefault(pool, []).append(pair)

    def add_dev(self, name: str, pair: Pair) -> None:
        self.dev.setdefault(name, []).append(pair)


def plain(text: str) -> str:
    """Return the letters and digits of a text, by which two copies of it are known as one."""
    return re.sub(r"[^a-z0-9]+", "", text.lower())


def share(text: str) -> float:
    """Return a number from 0 to 1 that is always the same for a text and even over many texts."""
    return zlib.crc32(plain(text).encode()) / 2**32


def load(folder: Path) -> Data:
    """Read `qa/` and `grounding/` of a folder."""
    data = Data()
    _load_questions(folder / "qa", data)
    _load_claims(folder / "grounding", data)
    drop_shared(data)
    return data


def drop_shared(data: Data) -> None:
    """Take out of dev what shares text with training under another title, or under none.

    Three runs of twelve words in common are too many, and so is a claim in the same words. Most
    such rows are of `fever`, where one piece of evidence holds another and a claim has several.
    """
    seen: dict[int, bool] = {
        run: False for pairs in data.dev.values() for pair in pairs for run in _runs(pair.passage)
    }
    for passage in {pair.passage for pairs in data.train.values() for pair in pairs}:
        for run in _runs(passage):
            if run in seen:
                seen[run] = True
    asked = {plain(pair.first) for pairs in data.train.values() for pair in pairs}
    for name, pairs in data.dev.items():
        apart = [p for p in pairs if sum(seen[run] for run in _runs(p.passage)) < 3]
        is_claims = name.startswith("support")
        data.dev[name] = [p for p in apart if not (is_claims and plain(p.first) in asked)]


@lru_cache(maxsize=20_000)
def _runs(text: str) -> frozenset[int]:
    words = re.findall(r"[a-z0-9]+", text.lower())
    return frozenset(hash(tuple(words[at : at + 12])) for at in range(len(words) - 11))


def _read(file: Path) -> list[dict[str, Any]]:
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def _question_pair(row: dict[str, Any]) -> Pair:
    passage = row["passage"]
    spans = tuple(
        (answer["start"], answer["start"] + len(answer["text"]))
        for answer in row["answers"]
        if answer["start"] >= 0 and answer["text"]
    )
    at = passage.find(row.get("evidence_sentence") or "\0")
    evidence = (at, at + len(row["evidence_sentence"])) if at >= 0 else None
    return Pair(
        "answer",
        row["source"],
        row["question"],
        passage,
        bool(row["answerable"]),
        spans,
        evidence,
        row["title"],
        row.get("negative", ""),
    )


# --- Questions ---------------------------------------------------------------------------------


def _load_questions(folder: Path, data: Data) -> None:
    files = {file.name.removesuffix(".jsonl.gz"): file for file in sorted(folder.glob("*.gz"))}
    pairs = {
        name: [_question_pair(row) for row in _read(file) if not row.get("history")]
        for name, file in files.items()
    }
    adversarial = []
    for pair in pairs.pop(ADVERSARIAL_DEV):
        if share(pair.title) < ADVERSARIAL_TRAINED:
            data.add("spans" if pair.label else "unanswerable", pair)
        else:
            adversarial.append(pair)
    mined = pairs.pop(MINED)
    data.dev["adversarial"] = adversarial
    titles = {plain(pair.title) for pair in adversarial}
    apart = {plain(pair.passage) for pair in adversarial}
    asked_apart = {plain(pair.first) for pair in adversarial}
    articles = {pair.title for pair in pairs[ARTICLES_APART] if share(pair.title) < 1 / 3}

    for name, rows in pairs.items():
        for pair in rows:
            is_dev = name in WHOLE_SOURCES_APART or (
                name == ARTICLES_APART and pair.title in articles
            )
            if is_dev:
                data.add_dev(f"mined {name}", pair)
                asked_apart.add(plain(pair.first))
                apart.add(plain(pair.passage))
    by_question = {
        plain(pair.first): name
        for name in (*WHOLE_SOURCES_APART, ARTICLES_APART)
        for pair in pairs[name]
        if plain(pair.first) in asked_apart
    }

    def is_apart(pair: Pair) -> bool:
        return plain(pair.title) in titles or plain(pair.passage) in apart

    for name, rows in pairs.items():
        for pair in rows:
            if not is_apart(pair) and plain(pair.first) not in asked_apart:
                data.add(_pool_of(name, pair), pair)
    # A `cut` passage is a dev passage less a sentence: it is told by its question or its title.
    for pair in mined:
        home = by_question.get(plain(pair.first))
        in_dev_article = pair.title in articles or is_apart(pair)
        if home is None and not in_dev_article and plain(pair.first) not in asked_apart:
            data.add("mined", pair)
        elif home and (pair.negative == "cut" or in_dev_article):
            data.add_dev(f"mined {home}", pair)


def _pool_of(name: str, pair: Pair) -> str:
    if not pair.label:
        return "mined" if pair.negative else "unanswerable"
    if name == "medquad":
        return "medquad"
    if name == "squad-sentences":
        return "sentences"
    if name in ("adversarialqa-answerability", "squad2-unansq-dev"):
        return "counterparts"
    return "spans" if pair.spans or pair.evidence else "no spans"


# --- Claims ------------------------------------------------------------------------------------


def _load_claims(folder: Path, data: Data) -> None:
    for file in sorted(folder.glob("*.gz")):
        name = file.name.removesuffix(".jsonl.gz")
        pairs = [
            Pair("support", name, row["claim"], row["evidence"], row["label"] == "supported")
            for row in _read(file)
        ]
        if name == "q2-wow":
            data.dev["support q2-wow"] = pairs
        elif name.startswith(("fever", "scitail")):
            _split_claims(name, pairs, data)
        else:
            data.train[f"support {name}"] = pairs


def _split_claims(name: str, pairs: Sequence[Pair], data: Data) -> None:
    apart = {plain(pair.first) for pair in pairs if share(pair.passage) < 0.1}
    for pair in pairs:
        if share(pair.passage) < 0.1:
            data.add_dev("support " + name.removesuffix("-nei-mined"), pair)
        elif plain(pair.first) not in apart:
            data.add(f"support {name}", pair)


# --- Our own -------------------------------------------------------------------------------------


def load_own(folder: Path, data: Data) -> None:
    """Read the questions and claims on technical passages that were written for this project."""
    for line in (folder / "questions.jsonl").read_text(encoding="utf-8").splitlines():
        group = json.loads(line)
        for asked in group["questions"]:
            passage, marked = as_set(group["passage"]), as_set(asked.get("evidence") or "\0")
            at = passage.find(marked)
            evidence = (at, at + len(marked)) if at >= 0 else None
            pair = Pair(
                "answer",
                "own",
                asked["question"],
                passage,
                asked["answerable"],
                (),
                evidence,
                group["title"],
            )
            _add_own("own questions", group, pair, data)
    for line in (folder / "claims.jsonl").read_text(encoding="utf-8").splitlines():
        group = json.loads(line)
        for said in group["claims"]:
            passage = as_set(group["passage"])
            pair = Pair("support", "own", as_set(said["claim"]), passage, said["supported"])
            _add_own("support own", group, pair, data)


def as_set(text: str) -> str:
    """Return Markdown as the product sets it: words, and tables with a bar between their cells."""
    lines = [line for line in text.split("\n") if not _RULE.fullmatch(line)]
    rows = [line.strip().strip("|").strip() if line.startswith("|") else line for line in lines]
    return re.sub(r"`|\*\*", "", "\n".join(rows))


_RULE = re.compile(r"\|?(?:\s*:?-{3,}:?\s*\|?)+")


def load_traps(file: Path, data: Data, pool: str = "traps") -> int:
    """Add questions that were written on passages of the public data; return how many.

    The passages are not ours to copy: the file names them by `mark`, and they are taken from the
    training rows. Each has questions it seems to answer and does not, and some it does. A question
    of the public data that was changed is named by its mark too, with what was changed in it.
    """
    passages = _by_mark(data)
    questions = {
        (mark(pair.passage), mark(pair.first)): pair
        for pairs in ("spans", "counterparts")
        for pair in data.train[pairs]
    }
    added = 0
    for line in file.read_text(encoding="utf-8").splitlines():
        group = json.loads(line)
        home = passages.get(group["passage"])
        if home is None:
            continue
        for question, answer in group["asked"]:
            place = (
                re.search(rf"(?<!\w){re.escape(answer)}(?!\w)", home.passage) if answer else None
            )
            if answer and place is None:
                continue  # another copy of the passage has it in other letters
            spans = (place.span(),) if place else ()
            data.add(pool, Pair("answer", pool, question, home.passage, bool(answer), spans))
            added += 1
        for asked, edits in group.get("changed", ()):
            if was := questions.get((group["passage"], asked)):
                changed = replace(
                    was,
                    source=pool,
                    first=apply(was.first, edits),
                    label=False,
                    spans=(),
                    # Kept, so that what the question seems to be answered by is shown.
                    evidence=was.evidence or (was.spans[0] if was.spans else None),
                    changed_from=was.first,
                )
                data.add(pool, changed)
                added += 1
    return added


def apply(question: str, edits: Sequence[tuple[int, int, str]]) -> str:
    """Return a question with some of its words exchanged: from, up to, and what stands there."""
    words = question.split()
    for start, end, text in reversed(edits):
        words[start:end] = text.split()
    return " ".join(words)


def load_said(file: Path, data: Data) -> None:
    """Add what was written of passages of the public data: borne out by them, or not."""
    passages = _by_mark(data)
    for line in file.read_text(encoding="utf-8").splitlines():
        group = json.loads(line)
        if home := passages.get(group["passage"]):
            for claim, is_true in group["claims"]:
                data.add("support said", Pair("support", "said", claim, home.passage, is_true))


def load_judged(file: Path, data: Data) -> None:
    """Add to dev the mined rows that someone judged without seeing the label, and as it says.

    A mined passage now and then answers after all: of the 309 that were judged 24 do, and of 31
    nobody can say.
    """
    verdicts = {}
    for line in file.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        verdicts[row["question"], row["passage"]] = row["answers"]
    for name in [name for name in data.dev if name.startswith("mined squadshifts")]:
        for pair in data.dev[name]:
            verdict = verdicts.get((mark(pair.first), mark(pair.passage)))
            if verdict == ("yes" if pair.label else "no"):
                data.add_dev(f"judged {name}", pair)


def load_named(file: Path, data: Data) -> None:
    """Let our own dev questions be answered by every piece that someone named who saw no evidence.

    For 841 of 844 what was named holds the evidence; for one in fourteen another piece answers too.
    """
    named = {}
    for line in file.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        named[row["question"], row["passage"]] = tuple((at, end) for at, end in row["pieces"])

    def with_named(pair: Pair) -> Pair:
        others = named.get((mark(pair.first), mark(pair.passage)), ())
        return replace(pair, spans=(pair.evidence, *others)) if pair.evidence else pair

    data.dev["own questions"] = [with_named(pair) for pair in data.dev["own questions"]]


def _by_mark(data: Data) -> dict[str, Pair]:
    return {
        mark(pair.passage): pair
        for pool in ("spans", "counterparts", "unanswerable")
        for pair in data.train[pool]
    }


def mark(passage: str) -> str:
    """Return a short name for a passage, the same for every copy of it."""
    return hashlib.sha256(plain(passage).encode()).hexdigest()[:12]


def _add_own(pool: str, group: dict[str, Any], pair: Pair, data: Data) -> None:
    if int(group["id"]) % 10 == 0:
        data.add_dev(pool, pair)
    else:
        data.add(pool, pair)


# --- The sample book ---------------------------------------------------------------------------


def load_glossary(file: Path) -> Iterator[Pair]:
    """Yield questions after the terms of the sample book, with the right entry and a wrong one."""
    text = file.read_text(encoding="utf-8")
    entries = re.findall(r"^\*\*(.+?)\*\*: (.+)$", text, re.MULTILINE)
    for number, (term, meaning) in enumerate(entries):
        name = re.sub(r"\s*\(.*?\)", "", term)
        for question in (f"What is {name}?", f"What does {name} mean?"):
            entry = f"{term}: {meaning}"
            whole = (0, len(entry))
            yield Pair("answer", "sample-book", question, entry, True, (), whole)
            other = entries[(number + 1) % len(entries)]
            yield Pair("answer", "sample-book", question, f"{other[0]}: {other[1]}", False)

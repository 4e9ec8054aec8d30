from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from bythebook.grounding.answer import set_answer
from bythebook.grounding.support import CheckedSentence
from bythebook.types import NO_CONFIDENCE, Answer, DraftSentence, Evidence, Passage
from bythebook.units import Unit, units_of
from tests.builders import CODE, ITEM, P, make_passage

ONE = make_passage(
    (P, "A node runs. It talks to others. It ends."),
    (P, "Quite another matter stands in between."),
    (ITEM, "Look around."),
    (ITEM, "Move on."),
    (CODE, "ros2 run demo talker"),
    id="one",
)
TWO = make_passage((P, "An arm has joints. Motors turn them."), id="two", score=0.5, rank=2)
PASSAGES = {passage.chunk.id: passage for passage in (ONE, TWO)}


def quote(text: str, passage: Passage = ONE, **fields: str) -> CheckedSentence:
    start = passage.chunk.text.index(text)
    span = Evidence(chunk_id=passage.chunk.id, start=start, end=start + len(text))
    sentence = DraftSentence.model_validate({"text": text, "evidence": (span,)} | fields)
    return CheckedSentence(sentence, (span,), 1.0)


def answer(*checked: CheckedSentence) -> Answer:
    return set_answer(checked, PASSAGES, NO_CONFIDENCE)


def test_each_sentence_ends_with_its_citation() -> None:
    made = answer(quote("A node runs."), quote("An arm has joints.", TWO))
    assert made.text == "A node runs. [1] An arm has joints. [2]"
    assert [sentence.citations for sentence in made.sentences] == [(1,), (2,)]


def test_sentences_side_by_side_in_the_book_share_a_citation() -> None:
    made = answer(quote("It talks to others."), quote("A node runs."), quote("It ends."))
    (citation,) = made.citations
    assert citation.excerpt == "A node runs. It talks to others. It ends."
    assert [sentence.citations for sentence in made.sentences] == [(1,), (1,), (1,)]


def test_sentences_with_others_between_them_are_cited_apart() -> None:
    made = answer(quote("A node runs."), quote("It ends."))
    assert [citation.excerpt for citation in made.citations] == ["A node runs.", "It ends."]


def test_the_same_place_is_cited_once() -> None:
    assert len(answer(quote("It ends."), quote("It ends.")).citations) == 1


def test_items_stand_on_lines_of_their_own() -> None:
    made = answer(
        quote("A node runs."),
        quote("Look around.", layout="item", marker="1."),
        quote("Move on.", layout="item", marker="2."),
    )
    assert made.text == "A node runs. [1]\n1. Look around. [2]\n2. Move on. [2]"


def test_code_stands_in_a_fence_with_its_citation_behind() -> None:
    made = answer(
        quote("A node runs."), quote("ros2 run demo talker", layout="code", language="bash")
    )
    assert made.text == "A node runs. [1]\n\n```bash\nros2 run demo talker\n```\n[2]"


def test_code_that_holds_a_fence_gets_a_longer_one() -> None:
    passage = make_passage((CODE, "```\nx\n```"), id="fence")
    span = Evidence(chunk_id="fence", start=0, end=len(passage.chunk.text))
    sentence = DraftSentence(text=passage.chunk.text, evidence=(span,), layout="code")
    made = set_answer([CheckedSentence(sentence, (span,), 1.0)], {"fence": passage}, NO_CONFIDENCE)
    assert made.text.startswith("````\n```")
    assert made.text.endswith("```\n````\n[1]")


def test_a_number_in_brackets_that_the_book_writes_stays() -> None:
    passage = make_passage((P, "The first element is v[0] and the next v[1]."), id="index")
    made = set_answer([quote(passage.chunk.text, passage)], {"index": passage}, NO_CONFIDENCE)
    assert made.text == "The first element is v[0] and the next v[1]. [1]"


def test_a_citation_says_where_to_look() -> None:
    (citation,) = answer(quote("An arm has joints.", TWO)).citations
    assert (citation.page_path, citation.section) == ("page.md", "Section")
    assert citation.relevance_score == 0.5
    assert citation.url == "https://example.org/page#section:~:text=An%20arm%20has%20joints."


units = st.sampled_from([*units_of(ONE), *units_of(TWO)])


@given(st.lists(units, min_size=1, max_size=8))
def test_every_excerpt_is_the_text_of_the_book_and_holds_what_leans_on_it(
    chosen: list[Unit],
) -> None:
    checked = [quote(unit.text, unit.passage) for unit in chosen]
    made = answer(*checked)
    assert [citation.index for citation in made.citations] == list(
        range(1, len(made.citations) + 1)
    )
    for citation in made.citations:
        text = PASSAGES[citation.chunk_id].chunk.text
        assert citation.excerpt == text[citation.start : citation.end]
    for sentence in made.sentences:
        (number,) = sentence.citations
        assert sentence.text in made.citations[number - 1].excerpt
    used = {int(number) for number in re.findall(r"\[(\d+)\]", made.text)}
    assert used == {citation.index for citation in made.citations}


spans = st.tuples(st.integers(0, 60), st.integers(1, 60))


@given(st.lists(spans, min_size=1, max_size=8))
def test_any_spans_at_all_are_cited_word_for_word(places: list[tuple[int, int]]) -> None:
    text = ONE.chunk.text
    checked = []
    for start, length in places:
        end = min(start + length, len(text))
        if not text[start:end].strip():
            continue
        span = Evidence(chunk_id="one", start=start, end=end)
        checked.append(CheckedSentence(DraftSentence(text=text[start:end]), (span,), 1.0))
    if checked:
        for citation in answer(*checked).citations:
            assert citation.excerpt == text[citation.start : citation.end]

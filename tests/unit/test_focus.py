from __future__ import annotations

import pytest

from bythebook.focus import Focus
from bythebook.lexicon import Lexicon
from bythebook.questions import analyse
from bythebook.terms import stem, stem_set
from tests.builders import make_focus

LEXICON = Lexicon.of(
    [
        "The zero moment point (ZMP) keeps a robot upright.",
        "A robot has joints.",
        "A robot has a camera.",
    ]
)


def focus(question: str) -> Focus:
    return make_focus(question, LEXICON, everyday=frozenset({"love"}))


def test_a_text_speaks_of_a_term_under_its_short_name() -> None:
    asked = focus("What is the zero moment point?")
    assert all(asked.speaks_of(term, stem_set("the ZMP")) for term in asked.weights)


def test_a_text_speaks_of_a_short_name_by_spelling_it_out() -> None:
    asked = focus("What is ZMP?")
    assert asked.speaks_of("zmp", stem_set("the zero moment point"))
    assert not asked.speaks_of("zmp", stem_set("the zero point"))


def test_part_of_a_long_name_does_not_stand_for_its_short_one() -> None:
    asked = focus("At which moment does it fall?")
    assert not asked.speaks_of(stem("moment"), stem_set("the ZMP"))


def test_the_share_grows_with_what_a_text_speaks_of() -> None:
    asked = focus("Which camera sees the joints?")
    shares = [asked.share(stem_set(text)) for text in ("wheels", "joints", "camera sees joints")]
    assert shares[0] == 0.0
    assert 0.0 < shares[1] < 1.0
    assert shares[2] == pytest.approx(1.0)


def test_unknown_words_are_told_as_the_reader_wrote_them_everyday_ones_marked() -> None:
    assert focus("Do robots love Quasars?").unknown() == {"love": True, "Quasars": False}


def test_a_small_number_is_never_an_unknown_word() -> None:
    assert focus("Has a robot 2 cameras or 1789?").unknown() == {"1789": False}


def test_a_question_about_nothing_has_no_share() -> None:
    assert focus("what is it?").share(stem_set("anything")) == 0.0


def test_the_subject_is_known_by_either_name() -> None:
    asked = focus("What is ZMP?")
    assert asked.is_subject(stem_set("zero moment point"))
    assert asked.is_subject(stem_set("ZMP"))
    assert not asked.is_subject(stem_set("camera"))


def test_a_text_spells_out_the_subject_when_it_holds_both_names() -> None:
    asked = focus("What is ZMP?")
    assert asked.spells_out_subject(stem_set("the zero moment point (ZMP)"))
    assert not asked.spells_out_subject(stem_set("the ZMP"))


def test_a_question_for_no_definition_has_no_subject() -> None:
    assert not focus("Why do robots fall?").is_subject(stem_set("robots fall"))


def test_a_name_that_the_book_writes_small_only_is_missing() -> None:
    lexicon = Lexicon.of(["A small window moves with the robot. The robot runs on Linux."])
    asked = Focus(analyse("How do I install it on Windows?"), lexicon, lambda _: True)
    assert asked.unknown() == {"install": True, "Windows": False}


def test_a_question_in_title_case_names_nothing() -> None:
    lexicon = Lexicon.of(["The centre of mass of the robot lies low."])
    asked = Focus(analyse("What Is the Centre of Mass?"), lexicon, lambda _: True)
    assert asked.unknown() == {}


def test_a_word_that_the_book_has_in_small_letters_is_not_one_it_never_speaks_of() -> None:
    lexicon = Lexicon.of(["Use docker to build.", "Much memory is needed."])
    focus = make_focus("How much memory and swap does Docker need?", lexicon)
    assert "Docker" in focus.unknown()
    assert focus.unspoken() == ("swap",)

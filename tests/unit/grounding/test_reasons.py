"""Each rule of the gate says what it found, in words a person can check."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bythebook.grounding.claims import reasons_of, support_of

REASONS = [
    ("The loop runs at 5 kHz.", "The loop runs at 6 kHz.", "number 5 is not in the passage"),
    ("The loop runs at 5 kHz.", "The loop runs at 5 Hz.", "unit of 5 is 'khz'"),
    ("It uses more than 2 % of it.", "It uses less than 2 % of it.", "2 is 'less than'"),
    ("It has 99 bins.", "It has 256 bins up to the 99th value.", "number 99 is not in the passage"),
    ("Set the flag --quiet.", "Set the flag --verbose.", "'--quiet' is not in the passage"),
    ("The lidar sees walls.", "The camera sees walls.", "'lidar' is not in the passage"),
    ("The arm does move.", "The arm does not move.", "'not' is in only one of them"),
    ("The motor is faster.", "The motor is slower.", "'faster' and 'slower' are opposites"),
    ("The camera publishes boxes to the detector.", "The detector publishes boxes to the camera.",
     "are swapped"),
    ("It maps from odom to base.", "It maps from base to odom.", "is the other way round"),
    ("The motor overheats.", "The motor may overheat.", "the passage is less certain"),
    ("The robot always stops.", "The robot stops.", "'always' is not what the passage says of it"),
    ("All robots have arms.", "Some robots have arms.", "'all' is not what the passage says of it"),
    ("Lidar costs more than radar.", "Radar costs more than lidar.", "'costs' is reversed"),
    ("Lidar sees farther than radar.", "Lidar and radar see walls.", "is not in the passage"),
    ("The robot stops.", "If the battery is low, the robot stops.", "sets a condition"),
    ("?!", "The robot stops.", "nothing that can be checked"),
    # what leaves no room must do so of the same thing
    ("0 is the only domain that can be used.",
     "Nodes meet only in the same domain. The domain is 0 by default and can be used up to 101.",
     "'only' is not what the passage says of it"),
    ("The arm exclusively uses belts.", "The arm uses belts. Only the leg uses gears.",
     "'exclusively' is not what the passage says of it"),
    ("The robot never stops.", "The robot stops.", "'never' is not what the passage says of it"),
    # what follows is a claim of its own, and a reason is not what follows from it
    ("The arm is stiff, which means that it never moves.", "The arm is stiff. It moves slowly.",
     "'never' is not what the passage says of it"),
    ("Wheels slip on wet floors because odometry drifts in long runs.",
     "Odometry drifts in long runs because wheels slip on wet floors.", "the other way round"),
    # one thing in the place of another
    ("The lidar sees colours.", "The camera sees colours, while the lidar sees distances.",
     "'lidar'"),
    ("The robot stops.", "If the robot stops, press the button.", "only supposes this"),
    ("Joint | 80 | knee", "Joint | knee | 80", "row of a table"),
    ("The pose is $x = 2 y$ here.", "The pose is $x = 3 y$ here.", "formula"),
]  # fmt: skip

SAME = [
    ("The value is .5 s.", "The value is 0.50 seconds."),
    ("It gathers 1 million paths.", "It collects 1,000,000 paths."),
    ("Twenty joints move the robot.", "The robot is moved by 20 joints."),
    ("Radar is cheaper than lidar.", "Lidar is more expensive than radar."),
    ("Boxes are published by the detector.", "The detector publishes boxes."),
    ("After the test, stop the arm.", "Stop the arm after the test."),
    ("The arm can't move.", "The arm cannot move."),
    ("The robot has to stop.", "The robot must stop."),
    ("If it is not reset, the timer fires.", "Unless it is reset, the timer fires."),
    ("The map is the sole input of the planner.", "The only input of the planner is the map."),
    ("Slip gives rise to drift of the robot.", "Slip causes drift of the robot."),
    ("Since wheels slip, odometry drifts.", "Odometry drifts because wheels slip."),
]


@pytest.mark.parametrize(("claim", "source", "reason"), REASONS)
def test_what_is_wrong_is_told(claim: str, source: str, reason: str) -> None:
    assert support_of(claim, source) == 0.0
    assert any(reason in told for told in reasons_of(claim, source)), reasons_of(claim, source)


@pytest.mark.parametrize(("claim", "source"), SAME)
def test_what_says_the_same_has_no_reason_against_it(claim: str, source: str) -> None:
    assert reasons_of(claim, source) == ()
    assert support_of(claim, source) >= 0.85


@given(st.text(max_size=80), st.text(max_size=80))
def test_any_two_texts_can_be_compared(claim: str, source: str) -> None:
    support = support_of(claim, source)
    assert 0.0 <= support <= 1.0
    assert (support == 0.0) is bool(reasons_of(claim, source))


MARKS = "not all than before 2 robot arm faster publishes if , may from to `x`".split()


@given(st.lists(st.sampled_from(MARKS), max_size=9))
def test_the_words_the_rules_look_for_may_stand_anywhere(words: list[str]) -> None:
    text = " ".join(words)
    assert (support_of(text, "The robot arm publishes.") == 0.0) is bool(
        reasons_of(text, "The robot arm publishes.")
    )


def test_a_second_opinion_can_lower_the_support_and_never_raise_it() -> None:
    book = "The robot must stop."
    assert support_of(book, book, judge=lambda *_: 0.3) == 0.3
    assert support_of("The robot may fly.", book, judge=lambda *_: 1.0) == 0.0


def test_a_sentence_all_of_other_words_is_too_far_from_the_book() -> None:
    told = reasons_of("Pictures get transmitted rapidly.", "Images are sent quickly.")
    assert "too few of its words are the book's" in told

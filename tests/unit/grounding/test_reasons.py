"""Each rule of the gate says what it found, in words a person can check."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bythebook.grounding.claims import reasons_of, support_of
from bythebook.grounding.reading import read

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


# What a rewording may turn, each time with a claim that is turned as well and false: the first of
# each pair is carried by the source, the second is not.
TWINS = [
    # denials reach words, not places
    ("Wheels slip and no one knows their radius.", "Wheels slip and everyone knows their radius.",
     "Wheels slip and their radius is never known."),
    ("A timer fires unless regularly reset.", "A timer fires if regularly reset.",
     "A timer fires unless it is reset regularly."),
    ("A varying delay cannot be compensated.", "A constant delay cannot be compensated.",
     "A constant delay can be compensated, while a varying delay cannot."),
    ("Files that did not change are shared.", "Files that changed are shared.",
     "Unchanged files are shared."),
    ("The pad keeps eggs from being crushed.", "The pad lets eggs be crushed.",
     "With the pad, eggs are not crushed."),
    ("The robot stays still without any error.", "The robot stays still and an error appears.",
     "The robot does not move and no error appears."),
    ("Inside the loop you never open a file.", "Inside the loop you open a file.",
     "Never print, open a file or wait inside the loop."),
    ("The size is entered so that values do not drift.", "The size is not entered.",
     "The size is entered, because values would otherwise drift."),
    ("The server changes nothing on the disk.", "The server changes the disk.",
     "The server does not change anything on the disk."),
    # who does what: passives, pronouns, gerunds, things that happen by themselves
    ("The detector subscribes to the images and publishes boxes.",
     "The camera subscribes to the images and publishes boxes.",
     "The camera publishes images. The detector subscribes to them and publishes boxes."),
    ("Identifying friction shrinks the gap.", "Identifying friction widens the gap.",
     "The gap shrinks when friction is identified."),
    ("Two active controllers cannot claim the same interface.",
     "Two active controllers can claim the same interface.",
     "Each controller claims an interface, and two active controllers cannot claim the same one."),
    ("The controller manager loads controllers as plugins.",
     "Controllers load the controller manager as plugins.",
     "Controllers are loaded as plugins by the controller manager."),
    ("The IMU reports acceleration.", "The robots report acceleration.",
     "Most robots use an IMU. It reports acceleration."),
    ("Callbacks run in the executor.", "Callbacks run the executor.",
     "The executor runs callbacks."),
    ("On flat ground the arm is robust.", "On flat ground the hand is robust.",
     "The arm is robust on flat ground. The hand is fragile."),
    ("The filter corrects with the camera.", "The filter predicts with the camera.",
     "The filter predicts with the gyroscope and corrects with the camera."),
    ("It keeps the point inside the foot.", "It keeps the foot inside the point.",
     "It keeps the pressure point inside the foot."),
    ("GET requests must not change a file.", "POST requests must not change a file.",
     "GET requests must not change a file. POST requests create it."),
    # comparisons and their converse
    ("A planetary gearbox costs less than a harmonic drive.",
     "A harmonic drive costs less than a planetary gearbox.",
     "A harmonic drive is precise, but it costs more than a planetary gearbox."),
    ("Brushed motors do not last as long as geared ones.",
     "Geared motors do not last as long as brushed ones.",
     "Geared motors last longer than brushed ones."),
    ("The arm responds more quickly.", "The arm responds less quickly.",
     "The arm responds faster."),
    ("Run the first part before you predict again.", "Predict again before you run the first part.",
     "Run the first part and then predict again."),
    ("Running robots profit more than walking ones.",
     "Walking robots profit more than running ones.",
     "Running robots profit from it more than walking ones."),
    ("It sees slip sooner from the skin than from the motor.",
     "It sees slip sooner from the motor than from the skin.",
     "From the skin it sees slip earlier than from the motor."),
    # numbers
    ("Two nodes find each other.", "Three nodes find each other.", "Nodes find each other."),
    ("The camera takes 30 frames a second.", "The camera takes 30 frames a minute.",
     "The camera takes 30 frames per second."),
    ("It needs 20 poses or more.", "It needs 20 poses or fewer.", "It needs at least 20 poses."),
    ("One thread at a time enters it.", "Two threads at a time enter it.",
     "It lets one thread at a time enter. Two threads wait."),
    ("The rate is warmed up for 50 steps.", "The rate is warmed up for less than 50 steps.",
     "The rate is warmed up over 50 steps."),
    ("It is off by 1 m at 10 m.", "It is off by 10 m at 10 m.", "It is off by 1 m at 10 m."),
    # how sure, how many, how far
    ("A callback ought to return fast.", "A callback must return fast.",
     "A callback should return quickly."),
    ("It fails once every behaviour has been tried.", "It fails once one of them has been tried.",
     "The behaviours are tried in order. It fails when all of them have been tried."),
    ("Each parameter is owned by a node.", "Each parameter is owned by a robot.",
     "A parameter belongs to a node. A robot runs it."),
    ("Any number of nodes may read a state.", "Any number of nodes may write a command.",
     "A state may be read by any number of nodes, but a command is written by only one node."),
    ("Just one thread at a time can enter the section.", "Just one thread can enter the section.",
     "A mutex lets one thread at a time enter the section."),
    ("The robot must not be lifted by its arms.", "The robot must be lifted by its arms.",
     "Do not lift the robot by its arms."),
    ("The loop won't leave the path.", "The loop will leave the path.",
     "The loop does not leave the path."),
    ("A grasp is stable when both fingers feel it.", "A grasp is stable when one finger feels it.",
     "When both fingers feel it, a grasp is stable."),
    ("Each detection is assigned to a track.", "A new track is started by the tracker.",
     "The tracker assigns each detection to a track and starts a new track when none is near."),
    ("Belts stretch under load.", "Belts do not stretch under load.",
     "Belts are quiet, but they stretch under load. Gears are heavy and do not stretch."),
    ("A node can read it.", "A node must read it.", "A node may read it."),
    ("Less torque is allowed.", "More torque is forbidden.", "It lowers the allowed torque."),
    # everyday words for the same
    ("Rain reduces the range.", "Rain extends the range.", "Rain shortens the range."),
    ("Synthetic images are cheap.", "Synthetic images are expensive.",
     "Synthetic images cost little."),
    ("Such cameras work badly outdoors.", "Such cameras work well outdoors.",
     "Such cameras work poorly outdoors."),
    ("Types that are the same connect.", "Types that are different connect.",
     "Types that are identical connect."),
    ("Queries are sped up by an index.", "Queries are slowed down by an index.",
     "An index makes queries faster."),
]  # fmt: skip


@pytest.mark.parametrize(("claim", "twin", "source"), TWINS)
def test_what_may_be_turned_is_told_from_what_is_false(claim: str, twin: str, source: str) -> None:
    assert reasons_of(claim, source) == ()
    assert reasons_of(twin, source) != ()


@pytest.mark.parametrize(("claim", "source", "reason"), REASONS)
def test_what_is_wrong_is_told(claim: str, source: str, reason: str) -> None:
    assert support_of(claim, source) == 0.0
    assert any(reason in told for told in reasons_of(claim, source)), reasons_of(claim, source)


@pytest.mark.parametrize(("claim", "source"), SAME)
def test_what_says_the_same_has_no_reason_against_it(claim: str, source: str) -> None:
    assert reasons_of(claim, source) == ()
    assert support_of(claim, source) >= 0.85


def test_a_unit_may_end_a_sentence() -> None:
    said = read("The force reaches 5 N. A soft pad helps. It takes 3 ms. Then J. Smith came.")
    assert len(said.sentences) == 4


@given(st.text(max_size=80), st.text(max_size=80))
def test_any_two_texts_can_be_compared(claim: str, source: str) -> None:
    support = support_of(claim, source)
    assert 0.0 <= support <= 1.0
    assert (support == 0.0) is bool(reasons_of(claim, source))


MARKS = (
    "not all than before 2 robot arm faster publishes if , may from to `x` more less never only one"
    " just without nothing unchanged otherwise then it them each must both any and or which inside"
).split()


@given(st.lists(st.sampled_from(MARKS), max_size=9))
def test_the_words_the_rules_look_for_may_stand_anywhere(words: list[str]) -> None:
    text = " ".join(words)
    assert (support_of(text, "The robot arm publishes.") == 0.0) is bool(
        reasons_of(text, "The robot arm publishes.")
    )


def test_a_sentence_of_the_book_is_carried_also_behind_an_abbreviation() -> None:
    book = "The stop acts after 20 ms. The computers stay powered so that they can log the event."
    assert support_of("The computers stay powered so that they can log the event.", book) == 1.0
    assert support_of("The motors stay powered so that they can log the event.", book) == 0.0


def test_a_sentence_all_of_other_words_is_too_far_from_the_book() -> None:
    told = reasons_of("Pictures get transmitted rapidly.", "Images are sent quickly.")
    assert "too few of its words are the book's" in told

from __future__ import annotations

import pytest

from bythebook.expectations import Expected, expected, offers


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("Who created Rust?", Expected.PERSON),
        ("When was ROS 2 released?", Expected.DATE),
        ("In which year did Gazebo start?", Expected.DATE),
        ("How many joints does the arm have?", Expected.NUMBER),
        ("What is the maximum payload weight?", Expected.NUMBER),
        ("Where is the company based?", Expected.PLACE),
        ("Which command starts the daemon?", Expected.COMMAND),
        ("setfacl command to give bob access", Expected.COMMAND),
        ("taskset syntax for two cores", Expected.COMMAND),
        ("Why does the robot fall?", Expected.REASON),
        ("Where can I get it, is there a download link?", Expected.ADDRESS),
        ("What does a lidar cost?", Expected.PRICE),
        ("How expensive is a humanoid?", Expected.PRICE),
        ("Until when is it supported?", Expected.DATE),
        ("What is the price of a lidar?", Expected.PRICE),
        ("can i use double for prices?", None),
        ("What is a node?", None),
        ("What is a cost map?", None),
        ("Who can use a service?", None),
        ("When should I use an action?", None),
        ("Where do I put the launch file?", None),
    ],
)
def test_a_question_tells_what_its_answer_must_have(question: str, kind: Expected | None) -> None:
    assert expected(question) is kind


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        (Expected.PERSON, "Miomir Vukobratović introduced the idea."),
        (Expected.PERSON, "It was made by NVIDIA."),
        (Expected.DATE, "The first version came out in 2017."),
        (Expected.NUMBER, "It has six joints."),
        (Expected.PLACE, "It was built in Japan."),
        (Expected.COMMAND, "Run ros2 topic list to see them."),
        (Expected.REASON, "It falls because its foot slips."),
        (Expected.ADDRESS, "See https://example.org for more."),
        (Expected.PRICE, "A board is sold for $249."),
    ],
)
def test_a_text_that_has_such_a_thing_offers_it(kind: Expected, text: str) -> None:
    assert offers(kind, text)


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        (Expected.PERSON, "Hundreds of companies, large and small, use it in production."),
        (Expected.DATE, "It was released early and often."),
        (Expected.NUMBER, "The arm has joints."),
        (Expected.PLACE, "It stands on the floor."),
        (Expected.COMMAND, "It is started by hand."),
        (Expected.ADDRESS, "It can be downloaded."),
        (Expected.PRICE, "A costmap stores what it costs to be there."),
    ],
)
def test_a_text_without_such_a_thing_does_not(kind: Expected, text: str) -> None:
    assert not offers(kind, text)


def test_code_is_a_command() -> None:
    assert offers(Expected.COMMAND, "colcon", is_code=True)

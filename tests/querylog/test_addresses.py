"""A hash tells readers apart for a day, and tells nothing else."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime, timedelta
from ipaddress import IPv4Address, IPv6Address, ip_address
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bythebook.querylog.addresses import Addresses, FileSalt, SetSalt
from bythebook.querylog.base import LogEntry
from tests.querylog.entries import entry

DAY = date(2026, 3, 1)
SALT = SetSalt("the secret of these tests")

ips = st.ip_addresses().map(str)
days = st.dates(date(2024, 1, 1), date(2040, 1, 1))


def _hashed(address: str, day: date = DAY, salt: SetSalt = SALT) -> str:
    kept = Addresses("hashed", salt).kept(address, day)
    assert kept
    return kept


@given(ips, days)
def test_the_same_address_on_the_same_day_has_the_same_hash(address: str, day: date) -> None:
    assert _hashed(address, day) == _hashed(address, day)


@given(ips, days, st.integers(1, 1000))
def test_another_day_or_another_secret_makes_another_hash(
    address: str, day: date, later: int
) -> None:
    assert _hashed(address, day) != _hashed(address, day + timedelta(days=later))
    assert _hashed(address, day) != _hashed(address, day, SetSalt(f"another secret {later}"))


@given(st.ip_addresses(v=4), st.integers(1, 255))
def test_neighbours_have_nothing_in_common(address: IPv4Address, distance: int) -> None:
    neighbour = IPv4Address((int(address) + distance) % 2**32)
    assert _hashed(str(address))[:12] != _hashed(str(neighbour))[:12]


@given(ips)
def test_a_hash_fits_its_column_and_is_no_address(address: str) -> None:
    kept = _hashed(address)
    assert len(kept) <= 45
    assert address not in kept
    with pytest.raises(ValueError, match="does not appear to be"):
        ip_address(kept)


@given(st.ip_addresses(v=4))
def test_one_address_has_one_hash_however_it_is_written(address: IPv4Address) -> None:
    assert _hashed(f"::ffff:{address}") == _hashed(str(address))


@given(st.ip_addresses(v=6))
def test_a_long_address_is_the_same_as_its_short_form(address: IPv6Address) -> None:
    assert _hashed(address.exploded) == _hashed(address.compressed) == _hashed(f"{address}%eth0")


@pytest.mark.parametrize("text", [None, "", "testclient", "10.0.0.1\0", "x" * 5000, "1.2.3"])
def test_what_is_no_address_is_not_written(text: str | None) -> None:
    assert Addresses("full").kept(text, DAY) is None
    assert Addresses("hashed", SALT).kept(text, DAY) is None


@given(st.text(st.characters(exclude_categories=()), max_size=50))
def test_every_question_becomes_text_that_a_database_takes(text: str) -> None:
    kept: LogEntry = entry(text)
    assert "\0" not in kept.query_text
    assert kept.query_text.encode("utf-8").decode("utf-8") == kept.query_text
    if all(character not in "\0" and not "\ud800" <= character <= "\udfff" for character in text):
        assert kept.query_text == text


def test_processes_with_one_file_come_to_the_same_keys(tmp_path: Path) -> None:
    one, other = (FileSalt(tmp_path / "log" / "salt.json") for _ in range(2))
    today = datetime.now(UTC).date()
    for later in (0, 1, 5):
        day = today + timedelta(days=later)
        assert one.key_of(day) == other.key_of(day)
    assert one.key_of(today + timedelta(days=6)) != one.key_of(today + timedelta(days=7))


def test_the_key_of_a_day_that_is_over_is_forgotten(tmp_path: Path) -> None:
    path = tmp_path / "salt.json"
    yesterday = datetime.now(UTC).date() - timedelta(days=1)
    path.write_text(json.dumps({"day": yesterday.isoformat(), "key": "07" * 32}))
    salt = FileSalt(path)
    old = salt.key_of(yesterday)
    assert old == bytes.fromhex("07" * 32)
    salt.keep()
    stored = json.loads(path.read_text())
    assert stored["day"] > yesterday.isoformat()
    assert stored["key"] != old.hex()
    assert salt.key_of(yesterday) == bytes.fromhex(stored["key"]) != old
    assert FileSalt(path).key_of(date.fromisoformat(stored["day"])).hex() == stored["key"]
    assert [file.name for file in tmp_path.iterdir()] == ["salt.json"]


def test_only_its_owner_can_read_the_salt(tmp_path: Path) -> None:
    FileSalt(tmp_path / "log" / "salt.json")
    assert (tmp_path / "log" / "salt.json").stat().st_mode & 0o777 == 0o600
    assert (tmp_path / "log").stat().st_mode & 0o077 == 0


def test_a_damaged_salt_is_made_anew(tmp_path: Path) -> None:
    path = tmp_path / "salt.json"
    path.write_text("{")
    salt = FileSalt(path)
    assert json.loads(path.read_text())["key"] == salt.key_of(DAY).hex()


def test_without_a_place_for_a_file_the_salt_lives_in_memory(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    salt = FileSalt(tmp_path / "file" / "salt.json")
    salt.keep()
    assert salt.key_of(DAY) == salt.key_of(DAY)

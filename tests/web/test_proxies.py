"""Whose request it is, when others pass it on."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from bythebook.assembly import open_desk
from bythebook.errors import SettingsError
from bythebook.settings import load_settings
from bythebook.web.access.addresses import client_of, limited_as, parse_networks
from bythebook.web.desk import Asked
from tests.web.conftest import Serve
from tests.web.serving import Service

OURS = parse_networks(["127.0.0.0/8", "10.0.0.0/8", "2001:db8:ffff::/48"])


@pytest.mark.parametrize(
    ("forwarded", "client"),
    [
        ([], "127.0.0.1"),
        (["203.0.113.7"], "203.0.113.7"),
        (["203.0.113.7, 10.1.2.3"], "203.0.113.7"),  # by way of another proxy of ours
        (["198.51.100.1, 203.0.113.7"], "203.0.113.7"),  # the first one is hearsay
        (["198.51.100.1", "203.0.113.7, 10.1.2.3"], "203.0.113.7"),  # in two headers
        (["10.9.9.9, 10.1.2.3"], "10.9.9.9"),  # everybody is ours
        (["203.0.113.7:49152"], "203.0.113.7"),
        (["[2001:db8::7]:49152"], "2001:db8::7"),
        (["2001:DB8:0:0::7"], "2001:db8::7"),
        (["::ffff:203.0.113.7"], "203.0.113.7"),
        (["2001:db8::7, 2001:db8:ffff::1"], "2001:db8::7"),
        (["203.0.113.7, unknown"], "127.0.0.1"),  # nothing before nonsense is believed
        (["203.0.113.7, <script>, 10.1.2.3"], "10.1.2.3"),
        ([", ,"], "127.0.0.1"),
    ],
)
def test_the_last_address_that_is_not_ours_is_the_clients(
    forwarded: list[str], client: str
) -> None:
    assert client_of("127.0.0.1", forwarded, OURS) == client


def test_from_elsewhere_the_header_is_not_believed() -> None:
    assert client_of("203.0.113.7", ["198.51.100.1"], OURS) == "203.0.113.7"
    assert client_of("127.0.0.1", ["198.51.100.1"], ()) == "127.0.0.1"


def test_a_connection_without_an_address_has_none() -> None:
    assert client_of(None, ["198.51.100.1"], OURS) is None
    assert limited_as(None) == limited_as("a socket")


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("2001:db8:1:2::1", "2001:db8:1:2:ffff::9", True),
        ("2001:db8:1:2::1", "2001:db8:1:3::1", False),
        ("203.0.113.7", "203.0.113.8", False),
        ("::ffff:203.0.113.7", "203.0.113.7", True),
        ("fe80::1%eth0", "fe80::2%eth1", True),
    ],
)
def test_ipv6_clients_are_counted_by_what_a_customer_gets(one: str, other: str, same: bool) -> None:
    assert (limited_as(one) == limited_as(other)) is same


@pytest.mark.parametrize("text", ["proxy.example.org", "10.0.0.1/8", "10.0.0.0/40"])
def test_a_network_that_is_none_is_told_before_the_service_starts(
    sample_index: Path, text: str
) -> None:
    with pytest.raises(SettingsError, match="trusted_proxies") as raised:
        open_desk(load_settings(index=sample_index, trusted_proxies=["10.0.0.0/8", text]))
    assert repr(text) in raised.value.message


def test_the_networks_can_be_named_in_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BYTHEBOOK_TRUSTED_PROXIES", "10.0.0.0/8, fd00::/8")
    assert len(parse_networks(load_settings().trusted_proxies)) == 2


def told_of(service: Service) -> Callable[[], list[Asked]]:
    """Return a function that gives what observers were told, once they were."""
    told: list[Asked] = []
    service.desk.observers.append(told.append)

    async def settle() -> list[Asked]:
        await asyncio.sleep(0)  # what stands in line before us is done
        return told

    return lambda: asyncio.run_coroutine_threadsafe(settle(), service.loop).result(10)


@pytest.mark.parametrize(
    ("trusted", "client"), [((), "127.0.0.1"), (("127.0.0.1",), "203.0.113.7")]
)
def test_whoever_keeps_the_log_hears_of_the_client_that_is_believed(
    serve: Serve, trusted: tuple[str, ...], client: str
) -> None:
    service = serve(trusted_proxies=trusted)
    told = told_of(service)
    headers = {"x-forwarded-for": "198.51.100.1, 203.0.113.7"}
    service.client.post("/api/query", json={"query": "What is a node?"}, headers=headers)
    assert [asked.client for asked in told()] == [client]


def test_clients_behind_a_proxy_are_limited_one_by_one(serve: Serve) -> None:
    service = serve(rate_limit="1/hour", trusted_proxies=["127.0.0.0/8"])

    def search(client: str) -> int:
        headers = {"x-forwarded-for": client}
        return service.client.get("/api/search?query=node", headers=headers).status_code

    assert [search("203.0.113.7"), search("203.0.113.7"), search("203.0.113.8")] == [200, 429, 200]
    assert search("2001:db8::1") == 200
    assert search("2001:db8::2") == 429
    assert search("made up, 203.0.113.7") == 429


def test_a_client_cannot_escape_its_limit_by_a_header(serve: Serve) -> None:
    service = serve(rate_limit="1/hour")
    statuses = [
        service.client.get(
            "/api/search?query=node", headers={"x-forwarded-for": f"203.0.113.{n}"}
        ).status_code
        for n in range(3)
    ]
    assert statuses == [200, 429, 429]

"""Who asks too much is told to wait, whatever the surface; nobody else notices."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from itertools import count
from pathlib import Path

import httpx
import openai
import pytest

from bythebook.assembly import make_key_file, open_desk
from bythebook.errors import SettingsError
from bythebook.settings import load_settings
from bythebook.web.access.buckets import (
    Buckets,
    MemoryBuckets,
    Rate,
    SharedBuckets,
    parse_rate,
)
from bythebook.web.access.redis_buckets import RedisBuckets
from bythebook.web.redis_client import SharedRedis
from tests.engines.redis import RedisServer
from tests.web.clock import Clock
from tests.web.serving import Service, serving

THREE = Rate(3, 60.0)  # three at once, one every twenty seconds

Limited = Callable[..., Service]

_numbers = count(1)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def limited(sample_index: Path, tmp_path: Path, clock: Clock) -> Iterator[Limited]:
    """Return a function that starts a service with a limit of three a minute, by our clock."""
    with ExitStack() as stack:

        def start(rate: Rate = THREE, **settings: object) -> Service:
            given = {"index": sample_index, "keys_file": tmp_path / "keys.json"} | settings
            desk = open_desk(load_settings(**given))
            per_client = MemoryBuckets(rate, clock)
            desk.access = replace(desk.access, per_client=per_client)
            return stack.enter_context(serving(desk))

        yield start


@pytest.fixture(scope="module")
def one_each(sample_index: Path) -> Iterator[Service]:
    """A service where everybody may ask once; who it is stands in a header."""
    settings = load_settings(index=sample_index, rate_limit="1/hour", trusted_proxies=["127.0.0.1"])
    with serving(open_desk(settings)) as service:
        yield service


def ask(service: Service, **headers: str) -> httpx.Response:
    body = {"query": "What is a costmap?"}
    return service.client.post("/api/query", json=body, headers=headers)


def test_after_a_burst_a_client_has_to_wait_and_is_told_how_long(
    limited: Limited, clock: Clock
) -> None:
    service = limited()
    assert [ask(service).status_code for _ in range(4)] == [200, 200, 200, 429]
    clock.now += 12.5
    response = ask(service)
    error = response.json()["error"]
    assert response.status_code == 429
    assert (error["code"], error["retry_after"]) == ("RATE_LIMIT_EXCEEDED", 8)  # of 7.5 seconds
    assert response.headers["retry-after"] == "8"
    assert "8 seconds" in error["message"]
    assert response.json()["metadata"]["request_id"] == response.headers["x-request-id"]
    clock.now += 7.5
    assert [ask(service).status_code for _ in range(2)] == [200, 429]


def test_a_client_that_waits_as_told_is_let_in(limited: Limited, clock: Clock) -> None:
    service = limited(Rate(1, 0.7))
    assert ask(service).status_code == 200
    turned_away = ask(service)
    assert turned_away.json()["error"]["retry_after"] == 1  # never 0
    clock.now += 1
    assert ask(service).status_code == 200


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", "/api/query", {"query": "What is a costmap?"}),
        ("POST", "/api/query/stream", {"query": "What is a costmap?"}),
        ("POST", "/api/search", {"query": "costmap"}),
        ("GET", "/api/search?query=costmap", None),
        ("POST", "/api/sessions", None),
        ("POST", "/api/query", "not a question"),
    ],
)
def test_everything_that_asks_is_counted(
    one_each: Service, method: str, path: str, body: object
) -> None:
    client = {"x-forwarded-for": f"203.0.113.{next(_numbers)}"}
    first = one_each.client.request(method, path, json=body, headers=client)
    assert first.status_code in (200, 201, 422)
    second = one_each.client.request(method, path, json=body, headers=client)
    assert second.status_code == 429


@pytest.mark.parametrize("path", ["/api/book", "/openapi.json", "/v1/models"])
def test_what_costs_nothing_is_not_counted(one_each: Service, path: str) -> None:
    client = {"x-forwarded-for": f"203.0.113.{next(_numbers)}"}
    got = [one_each.client.get(path, headers=client).status_code for _ in range(3)]
    assert got == [200, 200, 200]
    assert ask(one_each, **client).status_code == 200


def test_openais_client_is_told_in_its_own_way(limited: Limited) -> None:
    service = limited(Rate(1, 60))
    client = openai.OpenAI(base_url=f"{service.url}/v1", api_key="any", max_retries=0)
    question: list[openai.types.chat.ChatCompletionMessageParam] = [
        {"role": "user", "content": "What is a costmap?"}
    ]
    with client:
        client.chat.completions.create(model="bythebook", messages=question)
        with pytest.raises(openai.RateLimitError) as raised:
            client.chat.completions.create(model="bythebook", messages=question)
    assert raised.value.response.headers["retry-after"] == "60"
    assert raised.value.code == "rate_limit_exceeded"


def test_only_calls_of_tools_are_counted_on_mcp(limited: Limited) -> None:
    service = limited(Rate(1, 60))
    accept = {"accept": "application/json, text/event-stream"}

    def call(method: str, **params: object) -> httpx.Response:
        body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        return service.client.post("/mcp", json=body, headers=accept)

    assert {call("ping").status_code for _ in range(3)} == {200}
    search = {"name": "list_sections", "arguments": {}}
    assert call("tools/call", **search).status_code == 200
    turned_away = call("tools/call", **search)
    assert turned_away.status_code == 429
    assert turned_away.headers["retry-after"] == "60"
    assert "wait" in turned_away.json()["error"]["message"]
    assert service.client.post("/mcp", content=b"[" * 9000, headers=accept).status_code == 429
    assert call("ping").status_code == 200


def test_a_key_is_counted_by_itself_and_not_by_its_address(limited: Limited, clock: Clock) -> None:
    service = limited(Rate(1, 60))
    desk = service.desk
    object.__setattr__(desk.access, "per_key", MemoryBuckets(Rate(2, 60), clock))
    file = make_key_file(desk.settings)
    one, other = file.create("one"), file.create("other")
    assert [ask(service).status_code for _ in range(2)] == [200, 429]
    for token in (one, other):
        headers = {"authorization": f"Bearer {token}"}
        assert [ask(service, **headers).status_code for _ in range(3)] == [200, 200, 429]


def test_who_tries_keys_is_counted(limited: Limited) -> None:
    service = limited()
    make_key_file(service.desk.settings).create("site")
    tries = [
        service.client.get("/api/book", headers={"x-api-key": f"guess-{n}"}).status_code
        for n in range(4)
    ]
    assert tries == [401, 401, 401, 429]
    assert service.client.get("/api/book").status_code == 200


def test_without_a_limit_nobody_waits(limited: Limited) -> None:
    service = limited(rate_limit="off")
    object.__setattr__(service.desk.access, "per_client", None)
    assert {ask(service).status_code for _ in range(5)} == {200}


@pytest.mark.parametrize(
    ("text", "rate"),
    [
        ("30/minute", Rate(30, 60)),
        ("5 per second", Rate(5, 1)),
        ("100/2 hours", Rate(100, 7200)),
        ("off", None),
        (" None ", None),
    ],
)
def test_a_rate_is_written_as_people_say_it(text: str, rate: Rate | None) -> None:
    assert parse_rate("rate_limit", text) == rate


@pytest.mark.parametrize("text", ["many", "30", "30/fortnight", "5/second;9/hour", "0/minute"])
def test_a_rate_that_is_none_is_told_before_the_service_starts(
    sample_index: Path, text: str
) -> None:
    with pytest.raises(SettingsError, match="rate_limit_per_key"):
        open_desk(load_settings(index=sample_index, rate_limit_per_key=text))


@pytest.fixture(params=["memory", "redis"])
def buckets(request: pytest.FixtureRequest, clock: Clock) -> Callable[[Rate], Buckets]:
    """Return a function that gives buckets of either kind."""
    if request.param == "memory":
        return lambda rate: MemoryBuckets(rate, clock)
    server: RedisServer = request.getfixturevalue("redis")
    return lambda rate: RedisBuckets(SharedRedis(server.url), "test", rate, clock)


def test_a_bucket_fills_drop_by_drop_and_never_overflows(
    buckets: Callable[[Rate], Buckets], clock: Clock
) -> None:
    async def run() -> list[bool]:
        bucket = buckets(Rate(3, 60))
        let_in = []
        for wait in (0, 0, 0, 0, 19, 1, 0, 40, 0, 0, 600, 0, 0, 0):
            clock.now += wait
            let_in.append(await bucket.take("reader") == 0)
        assert await bucket.take("another reader") == 0
        await bucket.close()
        return let_in

    yes, no = True, False
    expected = [yes, yes, yes, no, no, yes, no, yes, yes, no, yes, yes, yes, no]
    assert asyncio.run(run()) == expected


def test_the_wait_is_until_the_next_drop(buckets: Callable[[Rate], Buckets], clock: Clock) -> None:
    async def run() -> None:
        bucket = buckets(Rate(2, 60))
        await bucket.take("reader")
        await bucket.take("reader")
        assert await bucket.take("reader") == pytest.approx(30, abs=0.01)
        clock.now += 10
        assert await bucket.take("reader") == pytest.approx(20, abs=0.01)
        await bucket.close()

    asyncio.run(run())


def test_full_buckets_take_no_memory(clock: Clock) -> None:
    async def run() -> None:
        buckets = MemoryBuckets(Rate(1, 60), clock, max_names=50)
        for number in range(200):
            await buckets.take(f"reader {number}")
        assert len(buckets) <= 50
        clock.now += 61
        for _ in range(60):
            await buckets.take("the only one left")
        assert len(buckets) == 1

    asyncio.run(run())


def test_workers_count_together_by_the_clock_of_redis(redis: RedisServer) -> None:
    async def run() -> None:
        workers = [RedisBuckets(SharedRedis(redis.url), "rate_limit", THREE) for _ in range(2)]
        taken = [await workers[n % 2].take("reader") for n in range(4)]
        assert taken[:3] == [0, 0, 0]
        assert 0 < taken[3] <= 20
        for worker in workers:
            await worker.close()

    asyncio.run(run())
    with redis.client() as client:
        (name,) = client.scan_iter("*")
        assert 0 < client.pttl(name) <= 60_000  # nothing is left behind


def test_books_on_one_redis_do_not_count_for_each_other(redis: RedisServer) -> None:
    async def run() -> None:
        for book in ("one", "other"):
            shared = SharedRedis(redis.url, book)
            buckets = RedisBuckets(shared, "rate_limit", Rate(1, 60))
            assert await buckets.take("reader") == 0
            await buckets.close()

    asyncio.run(run())


def test_while_redis_is_away_each_worker_counts_alone_and_says_so_once(
    redis: RedisServer, clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    async def run() -> None:
        shared = RedisBuckets(SharedRedis(redis.url), "rate_limit", THREE, clock)
        buckets = SharedBuckets(shared, MemoryBuckets(THREE, clock), clock)
        for _ in range(3):
            assert await buckets.take("reader") == 0
        redis.stop()
        taken = [await buckets.take("reader") == 0 for _ in range(4)]
        assert taken == [True, True, True, False]  # neither everybody nor nobody
        clock.now += 6
        assert await buckets.take("reader") > 0  # it was tried once more, in vain
        redis.start()
        assert await buckets.take("reader") > 0  # it is left alone for a while
        clock.now += 10
        assert await buckets.take("reader") > 0  # what was counted before is still known
        assert await buckets.take("another") == 0
        await buckets.close()

    with caplog.at_level(logging.WARNING):
        asyncio.run(run())
    said = [record.getMessage() for record in caplog.records]
    assert len(said) == 2
    assert "each worker counts requests by itself" in said[0]
    assert "again" in said[1]


def test_the_service_answers_while_redis_is_away(redis: RedisServer, sample_index: Path) -> None:
    settings = load_settings(index=sample_index, redis_url=redis.url, rate_limit="2/hour")
    with serving(open_desk(settings)) as service:
        assert ask(service).status_code == 200
        redis.stop()
        assert [ask(service).status_code for _ in range(3)] == [200, 200, 429]


def test_a_crowd_at_once_is_counted_exactly(redis: RedisServer) -> None:
    async def run() -> int:
        buckets = RedisBuckets(SharedRedis(redis.url), "rate_limit", Rate(50, 3600))
        taken = await asyncio.gather(*(buckets.take("reader") for _ in range(300)))
        await buckets.close()
        return taken.count(0)

    assert asyncio.run(run()) == 50

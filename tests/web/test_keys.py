"""Keys: made once, kept as a hash, revoked at once, and never told to anybody."""

from __future__ import annotations

import json
import logging
import stat
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

import httpx
import openai
import pytest
from fastapi import Depends, FastAPI

from bythebook.assembly import make_key_file, open_desk
from bythebook.cli.main import main
from bythebook.contracts.grounded import QueryResponse
from bythebook.errors import SettingsError
from bythebook.settings import load_settings
from bythebook.web.access.gate import admin_only
from bythebook.web.access.keys import KeyFile, KeyRing, keys_beside
from bythebook.web.access.tokens import hash_of, without_keys
from bythebook.web.desk import Asked
from bythebook.web.operations.logs import JsonLines, TextLines, secrets_of
from tests.engines.redis import PASSWORD, RedisServer
from tests.web.serving import Service, serving

QUESTION = {"query": "What is a costmap?"}

Guarded = Callable[..., Service]


@pytest.fixture
def keys(tmp_path: Path) -> KeyFile:
    return KeyFile(tmp_path / "keys.json")


@pytest.fixture
def guarded(sample_index: Path, keys: KeyFile) -> Iterator[Guarded]:
    """Return a function that starts a service with a file of keys of its own."""
    with ExitStack() as stack:

        def start(**settings: object) -> Service:
            given = {"index": sample_index, "keys_file": keys.path} | settings
            return stack.enter_context(serving(open_desk(load_settings(**given))))

        yield start


@pytest.fixture(scope="module")
def required(
    sample_index: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Service, str]]:
    """A service that needs a key, and a key."""
    keys = KeyFile(tmp_path_factory.mktemp("keys") / "keys.json")
    settings = load_settings(index=sample_index, keys_file=keys.path, require_key=True)
    with serving(open_desk(settings)) as service:
        yield service, keys.create("site")


def ask(service: Service, **headers: str) -> httpx.Response:
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    return service.client.post("/api/query", json=QUESTION, headers=sent)


def test_without_keys_everybody_may_ask_whatever_they_send(guarded: Guarded) -> None:
    service = guarded()
    assert ask(service).status_code == 200
    # Clients of OpenAI's API cannot but send a key, whether there is anything to guard or not.
    assert ask(service, authorization="Bearer sk-anything").status_code == 200


def test_where_keys_are_optional_one_may_ask_without_but_not_with_a_wrong_one(
    guarded: Guarded, keys: KeyFile
) -> None:
    service = guarded()
    token = keys.create("site")
    assert ask(service).status_code == 200
    assert ask(service, authorization=f"Bearer {token}").status_code == 200
    response = ask(service, authorization=f"Bearer {token[:-1]}")
    assert response.status_code == 401
    assert response.headers["www-authenticate"] == "Bearer"
    envelope = QueryResponse.model_validate_json(response.content)
    assert envelope.error
    assert "no such key" in envelope.error.message


@pytest.mark.parametrize("header", ["authorization", "x_api_key"])
def test_a_key_is_taken_in_either_header(required: tuple[Service, str], header: str) -> None:
    service, token = required
    prefix = "bearer " if header == "authorization" else ""
    assert ask(service, **{header: prefix + token}).status_code == 200
    assert ask(service, **{header: prefix + "nonsense"}).status_code == 401


def test_authorization_of_another_kind_is_somebody_elses(guarded: Guarded, keys: KeyFile) -> None:
    service = guarded()
    keys.create("site")
    assert ask(service, authorization="Basic dXNlcjpwYXNz").status_code == 200


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", "/api/query"),
        ("POST", "/api/query/stream"),
        ("GET", "/api/search?query=node"),
        ("POST", "/api/sessions"),
        ("POST", "/api/feedback"),
        ("POST", "/v1/chat/completions"),
        ("GET", "/v1/models"),
        ("POST", "/mcp"),
    ],
)
def test_where_a_key_is_required_nothing_is_asked_without(
    required: tuple[Service, str], method: str, path: str
) -> None:
    service, token = required
    response = service.client.request(method, path, content=b"{")
    assert response.status_code == 401
    assert response.headers["www-authenticate"] == "Bearer"
    assert "key" in response.json()["error"]["message"]
    headers = {"x-api-key": token}
    assert service.client.request(method, path, content=b"{", headers=headers).status_code != 401


def test_where_a_key_is_required_and_there_is_none_nobody_may_ask(
    guarded: Guarded, caplog: pytest.LogCaptureFixture
) -> None:
    service = guarded(require_key=True)
    assert ask(service).status_code == 401
    assert "bythebook keys create" in caplog.text  # the operator is told why
    assert ask(service, x_api_key="anything").status_code == 401


def test_what_book_this_is_everybody_may_know(required: tuple[Service, str]) -> None:
    service, _ = required
    for path in ("/api/book", "/openapi.json"):
        assert service.client.get(path).status_code == 200


def test_openais_client_says_what_is_wrong_with_its_key(required: tuple[Service, str]) -> None:
    service, token = required
    url = f"{service.url}/v1"
    with openai.OpenAI(base_url=url, api_key=token, max_retries=0) as client:
        assert client.models.list().data
    with (
        openai.OpenAI(base_url=url, api_key="sk-wrong", max_retries=0) as client,
        pytest.raises(openai.AuthenticationError) as raised,
    ):
        client.models.list()
    assert raised.value.code == "invalid_api_key"


def test_a_revoked_key_is_worthless_without_a_restart(guarded: Guarded, keys: KeyFile) -> None:
    service = guarded(require_key=True)
    token = keys.create("site")
    kept = keys.create("another")
    assert ask(service, x_api_key=token).status_code == 200
    keys.revoke("site")
    assert ask(service, x_api_key=token).status_code == 401
    assert ask(service, x_api_key=kept).status_code == 200
    keys.revoke("another")
    assert ask(service, x_api_key=kept).status_code == 401


def test_a_file_damaged_while_the_service_runs_locks_nobody_out(
    guarded: Guarded, keys: KeyFile, caplog: pytest.LogCaptureFixture
) -> None:
    service = guarded(require_key=True)
    token = keys.create("site")
    assert ask(service, x_api_key=token).status_code == 200
    keys.path.write_text("{")
    assert ask(service, x_api_key=token).status_code == 200
    assert ask(service, x_api_key="wrong").status_code == 401
    assert "stay in use" in caplog.text


def test_a_damaged_file_is_told_before_the_service_starts(
    sample_index: Path, keys: KeyFile
) -> None:
    keys.path.write_text('{"keys": [{"name": "site"}]}')
    with pytest.raises(SettingsError, match=r"keys\.json"):
        open_desk(load_settings(index=sample_index, keys_file=keys.path))


def test_observers_hear_the_name_of_the_key_and_not_the_key(
    guarded: Guarded, keys: KeyFile
) -> None:
    service = guarded()
    token = keys.create("site")
    told: list[Asked] = []
    service.desk.observers.append(told.append)
    ask(service, x_api_key=token)
    ask(service, x_api_key=token)  # by now they have heard of the first
    assert told[0].key_name == "site"
    assert token not in repr(told)


def with_admin_route(service: Service) -> FastAPI:
    @service.app.get("/api/admin/secrets")
    async def secrets(_: Annotated[None, Depends(admin_only)]) -> str:
        return "the secrets"

    return service.app


def admin(service: Service, **headers: str) -> httpx.Response:
    return service.client.get("/api/admin/secrets", headers=headers)


def test_admin_routes_are_not_there_until_there_is_an_admin_key(
    guarded: Guarded, keys: KeyFile
) -> None:
    service = guarded()
    with_admin_route(service)
    nothing = service.client.get("/api/nothing").json()["error"]
    usual = keys.create("site")
    for headers in ({}, {"x-api-key": "wrong"}, {"x-api-key": usual}):
        response = admin(service, **headers)
        assert response.status_code == 404
        assert response.json()["error"] == nothing
    token = keys.create("boss", is_admin=True)
    assert admin(service).status_code == 401
    assert admin(service, **{"x-api-key": "wrong"}).status_code == 401
    assert admin(service, **{"x-api-key": usual}).status_code == 403
    assert admin(service, **{"x-api-key": token}).json() == "the secrets"
    keys.revoke("boss")
    assert admin(service, **{"x-api-key": token}).status_code == 404


def test_the_file_holds_hashes_and_only_its_owner_may_read_it(keys: KeyFile) -> None:
    token = keys.create("site")
    content = keys.path.read_text()
    assert token not in content
    assert hash_of(token) in content
    assert stat.S_IMODE(keys.path.stat().st_mode) == 0o600
    keys.create("another")
    keys.revoke("site")
    assert stat.S_IMODE(keys.path.stat().st_mode) == 0o600
    assert {path.name for path in keys.path.parent.glob("keys.json*")} <= {
        "keys.json",
        "keys.json.lock",
    }


def test_keys_are_long_random_and_told_from_other_words(keys: KeyFile) -> None:
    tokens = {keys.create(f"key-{number}") for number in range(20)}
    assert len(tokens) == 20
    assert {len(token) for token in tokens} == {47}  # 4 characters, and 256 bits
    for token in tokens:
        assert without_keys(f"GET /api/{token}/x?y={token}") == "GET /api/btb_.../x?y=btb_..."


def test_the_keys_of_an_index_stand_beside_it() -> None:
    assert keys_beside(Path("shelf/book")) == Path.cwd() / "shelf" / "book-keys.json"
    assert KeyRing(keys_beside(Path("shelf/book"))).in_use is False


def test_the_command_makes_lists_and_revokes_keys(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    index = ["--index", str(tmp_path / "book")]
    assert main(["keys", "create", "site", *index]) == 0
    printed = capsys.readouterr()
    token = printed.out.strip()
    assert "only time" in printed.err
    assert token not in printed.err
    ring = KeyRing(tmp_path / "book-keys.json")
    assert (found := ring.find(token)) is not None
    assert (found.name, found.is_admin) == ("site", False)
    assert main(["keys", "create", "boss", "--admin", *index]) == 0
    capsys.readouterr()
    assert main(["keys", "list", *index]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[:2] for line in lines] == [["site", "asks"], ["boss", "admin"]]
    assert main(["keys", "list", "--json", *index]) == 0
    listed = json.loads(capsys.readouterr().out)
    assert [sorted(key) for key in listed] == [["created_at", "is_admin", "name"]] * 2
    assert main(["keys", "revoke", "site", *index]) == 0
    assert ring.find(token) is None


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["create", "site"], "already a key 'site'"),
        (["create", "two words"], "'two words' cannot be the name"),
        (["create", "-"], "'-' cannot be the name"),
        (["revoke", "nobody"], "no key 'nobody'"),
    ],
)
def test_a_mistake_with_keys_gets_a_sentence(
    keys: KeyFile,
    arguments: list[str],
    says: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    keys.create("site")
    monkeypatch.setenv("BYTHEBOOK_KEYS_FILE", str(keys.path))
    assert main(["keys", *arguments]) == 2
    printed = capsys.readouterr()
    assert says in printed.err
    assert "hint:" in printed.err
    assert not printed.out


def test_a_place_where_no_file_can_be_gets_a_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("BYTHEBOOK_KEYS_FILE", str(tmp_path / "file" / "keys.json"))
    assert main(["keys", "create", "site"]) == 2
    assert "cannot be written" in capsys.readouterr().err


def _everywhere(service: Service, token: str) -> Iterator[httpx.Response]:
    """Put a key wherever a client might, by mistake or not, and yield what comes back."""
    client = service.client
    wrong = {"authorization": f"Bearer {token}x"}
    yield client.post("/api/query", json=QUESTION, headers=wrong)
    yield client.post("/v1/chat/completions", json={}, headers=wrong)
    yield client.post("/mcp", json={}, headers={"x-api-key": f"{token}x"})
    yield client.get(f"/api/nothing/{token}")
    yield client.get("/api/nothing", params={"api_key": token})
    yield client.get("/api/search", params={"api_key": token})
    yield client.get("/api/search", params={"query": "node", "top_k": token})
    yield client.get(f"/api/sessions/{token}")
    yield client.delete(f"/api/query/{token}")
    yield client.get(f"/v1/models/{token}")
    yield client.post("/api/query", json={"query": "node", "module_filter": token})
    yield client.post("/api/query", json={"query": "node", "page_url": token})
    yield client.post("/api/query", json={"query": "node", "profile": token})
    yield client.post("/api/query", content=token, headers={"content-type": "application/json"})
    yield client.post("/api/query", content=token, headers={"content-type": token})
    yield client.post("/mcp", json={}, headers={"origin": f"http://{token}.example.org"})
    yield client.post("/mcp", json={}, headers={"host": token})
    yield client.get("/mcp", headers={"x-api-key": token})


def test_no_secret_is_found_in_any_error_or_log(
    guarded: Guarded,
    keys: KeyFile,
    redis: RedisServer,
    model_key: str,
    caplog: pytest.LogCaptureFixture,
) -> None:
    token = keys.create("planted")
    with caplog.at_level(logging.DEBUG):
        service = guarded(
            redis_url=redis.url,
            writer="agent",
            openai_api_key=model_key,
            openai_base_url="http://127.0.0.1:9/v1",
        )
        assert ask(service, x_api_key=token).status_code in (503, 504)
        session = service.client.post("/api/sessions").json()["session_id"]
        redis.stop()
        away = service.client.get(f"/api/sessions/{session}")
        assert away.status_code == 503
        responses = [away, *_everywhere(service, token)]
    assert len(caplog.records) > len(responses)
    records = [record for record in caplog.records if _is_ours(record)]
    logged = ""
    for form in (TextLines, JsonLines):
        formatter = form(secrets_of(service.desk.settings))
        logged += "\n".join(map(formatter.format, records))
    for response in responses:
        assert response.status_code >= 400, response.url
        for secret in (token, hash_of(token), model_key, PASSWORD):
            assert secret not in response.text, response.url
            assert secret not in str(response.headers), response.url
    for secret in (token, hash_of(token), model_key, PASSWORD):
        assert secret not in logged


def _is_ours(record: logging.LogRecord) -> bool:
    # The tests' own client stands in the same process and logs the addresses it asks.
    return not record.name.startswith(("httpx", "httpcore"))


@pytest.fixture
def model_key() -> str:
    return "key-of-the-author-for-the-model"


def test_the_file_can_be_named_in_the_settings(tmp_path: Path) -> None:
    settings = load_settings(keys_file=tmp_path / "elsewhere.json")
    assert make_key_file(settings).path == tmp_path / "elsewhere.json"


@pytest.mark.parametrize("is_required", [False, True])
def test_the_description_says_where_a_key_is_needed(guarded: Guarded, is_required: bool) -> None:
    paths = guarded(require_key=is_required).client.get("/openapi.json").json()["paths"]
    assert {} in paths["/api/book"]["get"]["security"]
    assert ({} in paths["/api/query"]["post"]["security"]) is not is_required
    for operations in paths.values():
        for operation in operations.values():
            assert {"bearer": []} in operation["security"]
            assert {"header": []} in operation["security"]


def test_a_page_of_an_allowed_website_may_send_a_key_and_read_why_it_is_wrong(
    guarded: Guarded, keys: KeyFile
) -> None:
    site = "https://book.example.org"
    service = guarded(cors_origins=[site], require_key=True)
    keys.create("site")
    wish = {
        "origin": site,
        "access-control-request-method": "POST",
        "access-control-request-headers": "content-type, x-api-key",
    }
    assert service.client.options("/api/query", headers=wish).status_code == 200
    response = ask(service, origin=site, x_api_key="wrong")
    assert response.status_code == 401
    assert response.headers["access-control-allow-origin"] == site

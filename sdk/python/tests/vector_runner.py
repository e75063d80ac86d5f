"""
Runs a case of sdk/vectors.json with the Python SDK, over real connections to a server on this computer. The TypeScript SDK has
tests/support/vectorRunner.ts.
"""

from __future__ import annotations

import errno
import json
import re
import socket
import ssl
import struct
import sys
import tempfile
import threading
from contextlib import ExitStack
from datetime import datetime, timezone
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from unittest.mock import patch
from urllib.error import URLError
from urllib.parse import parse_qsl, urlencode, urlsplit
from urllib.request import OpenerDirector

from bursar_sdk import Bursar, verify_webhook
from shown import shown_by

VECTORS: dict[str, Any] = json.loads((Path(__file__).parents[2] / "vectors.json").read_text("utf-8"))
STARTED_AT = datetime(2026, 11, 20, 12, tzinfo=timezone.utc).timestamp()
UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")
API_KEY = "bk_test"
SILENCE = 2.0  # seconds, longer than the timeout of such a case


class Clock:
    """Moves when the SDK waits, and at no other time."""

    def __init__(self, off: float) -> None:
        self.now = 0.0
        self._off = off

    def monotonic(self) -> float:
        return self.now

    def wall(self) -> float:
        return STARTED_AT + self._off + self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


class Server:
    """Bursar, a seller and another host, which give the replies of a case one after another."""

    def __init__(self) -> None:
        self.seen: list[dict[str, Any]] = []
        self.replies: list[dict[str, Any]] = []
        self.clock = Clock(0)
        self._ports: dict[str, int] = {}
        self._servers = [self._serve(name) for name in ("bursar", "seller", "other")]
        self.origins = {name: f"http://127.0.0.1:{port}" for name, port in self._ports.items()}

    def _serve(self, name: str) -> ThreadingHTTPServer:
        world = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def handle_one_request(self) -> None:
                self.raw_requestline = self.rfile.readline(65_537)
                if self.raw_requestline and self.parse_request():
                    world.answer(name, self)
                self.close_connection = True

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        server.daemon_threads = True
        self._ports[name] = server.server_address[1]
        threading.Thread(target=lambda: server.serve_forever(0.01), daemon=True).start()
        return server

    def close(self) -> None:
        for server in self._servers:
            server.shutdown()
            server.server_close()

    def answer(self, name: str, handler: BaseHTTPRequestHandler) -> None:
        headers = {key.lower(): value for key, value in handler.headers.items()}
        body = handler.rfile.read(int(headers.get("content-length", 0)))
        reply = self._next()
        self._record(name, handler.command, handler.path, headers, body)
        self._reply(reply, handler)

    def _next(self) -> dict[str, Any]:
        return self.replies[min(len(self.seen), len(self.replies) - 1)] if self.replies else {}

    def _record(self, name: str, method: str, target: str, headers: dict[str, str], body: bytes) -> None:
        url = urlsplit(target)
        path = url.path if name == "bursar" else f"{self.origins[name]}{url.path}"
        query = f"?{urlencode(sorted(parse_qsl(url.query)))}" if url.query else ""
        is_json = headers.get("content-type") == "application/json"
        self.seen.append(
            {
                "line": f"{method} {path}{query}",
                "key": headers.get("idempotency-key"),
                "token": headers.get("authorization"),
                "headers": headers,
                "body": json.loads(body) if is_json else body.decode(),
                "at": self.clock.now,
            }
        )

    def open(self, opener: OpenerDirector, request: Any, *args: Any, **options: Any) -> Any:
        """In place of ``OpenerDirector.open``: some connections fail before this server could see them."""
        failure = _UNCONNECTED.get(self._next().get("fails", ""))
        if failure is None:
            return _open(opener, request, *args, **options)
        headers = {key.lower(): value for key, value in request.header_items()}
        self._record("bursar", request.get_method(), request.full_url, headers, request.data or b"")
        raise URLError(failure)

    def _reply(self, reply: dict[str, Any], handler: BaseHTTPRequestHandler) -> None:
        connection = handler.connection
        if reply.get("fails") == "silence":
            connection.settimeout(SILENCE)
            try:
                connection.recv(1)
            except OSError:
                pass
            return
        if reply.get("fails") == "lost":
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            handler.close_connection = True
            connection.close()
            return
        recorded = VECTORS["replies"].get(reply.get("reply"))
        content = reply.get("body", "") if recorded is None else {**recorded["body"], **(reply.get("body") or {})}
        text = content if isinstance(content, str) else json.dumps(content) + " " * reply.get("pad", 0)
        body = text.encode()
        headers = {**(recorded["headers"] if recorded else {}), **reply.get("headers", {})}
        status = reply.get("status") or (recorded["status"] if recorded else 200)
        lines = [f"{name}: {self.filled(value)}" for name, value in headers.items()]
        head = "\r\n".join([f"HTTP/1.1 {status} X", *lines, f"content-length: {len(body)}", "connection: close"])
        cut = reply.get("cut")
        part = body if cut is None else body[:cut]
        try:
            connection.sendall(f"{head}\r\n\r\n".encode() + part)
        except OSError:
            pass

    def filled(self, value: Any) -> Any:
        """Fills in ``{bursar}``, ``{date+10}`` (the true time in ten seconds) and ``{of:reply.field}``."""
        if isinstance(value, list):
            return [self.filled(each) for each in value]
        if isinstance(value, dict):
            return {name: self.filled(each) for name, each in value.items()}
        if not isinstance(value, str):
            return value
        of = re.fullmatch(r"\{of:(.*)\}", value)
        if of:
            name, *path = of[1].split(".")
            found = VECTORS["replies"][name]["body"]
            for part in path:
                found = found[part]
            return found
        text = re.sub(r"\{(bursar|seller|other)\}", lambda match: self.origins[match[1]], value)
        return re.sub(
            r"\{date\+(\d+)\}", lambda match: formatdate(STARTED_AT + self.clock.now + int(match[1]), usegmt=True), text
        )


def failure_of(case: dict[str, Any], server: Server) -> str | None:
    """Returns why the case fails, None if it passes."""
    clock = Clock(case.get("clock_off_days", 0) * 86_400)
    server.clock, server.seen, server.replies = clock, [], case.get("replies", [])
    outcome: dict[str, Any] = {}
    with ExitStack() as stack:
        home = stack.enter_context(tempfile.TemporaryDirectory())
        stack.enter_context(patch.dict("os.environ", {"XDG_CONFIG_HOME": home, "BURSAR_API_KEY": "", "BURSAR_URL": ""}))
        for name in ("monotonic", "wall", "sleep"):
            stack.enter_context(patch(f"bursar_sdk._clock.{name}", getattr(clock, name)))
        stack.enter_context(patch("urllib.request.OpenerDirector.open", lambda *args, **options: server.open(*args, **options)))
        try:
            outcome["result"] = _calls(case, server, clock, Path(home) / "bursar/login.json")
        except Exception as error:  # noqa: BLE001: compared with what is expected
            outcome["error"] = _fields(error)
            shown = shown_by(error)
            if any(secret in shown for secret in _secrets_of(case)):
                return f"shows a credential: {shown}"
        file = Path(home) / "bursar/login.json"
        login = json.loads(file.read_text()) if file.exists() else None
    return _difference(server.filled(case["expect"]), outcome, server.seen, login)


_open = OpenerDirector.open
_UNCONNECTED: dict[str, Exception] = {
    "certificate": ssl.SSLCertVerificationError(1, "certificate verify failed"),
    "refused": ConnectionRefusedError(errno.ECONNREFUSED, "Connection refused"),
    "unknown_host": socket.gaierror(socket.EAI_NONAME, "Name or service not known"),
}


def _calls(case: dict[str, Any], server: Server, clock: Clock, login: Path) -> Any:
    calls = case["call"] if isinstance(case["call"], list) else [case["call"]]
    if calls[0]["method"] == "verify_webhook":
        return _verify(calls[0])
    bursar = _client(server.filled(case.get("client", {"api_key": API_KEY})), server, clock, login)
    result: Any = None
    for call in calls:
        if call["method"] == "elapse":
            clock.now += call["seconds"]
        else:
            result = _call(bursar, server.filled(call))
    return result


def _client(options: dict[str, Any], server: Server, clock: Clock, file: Path) -> Bursar:
    url = options.get("url", server.origins["bursar"])
    timeout = options.get("timeout_s", 30)
    login = options.get("login")
    if login:
        file.parent.mkdir()
        kept = {"url": url, "accessToken": login["access_token"], "refreshToken": login["refresh_token"]}
        file.write_text(json.dumps({**kept, "freshUntil": (clock.wall() + login["fresh_in_s"]) * 1000}))
        return Bursar(timeout=timeout)
    if "access_tokens" in options:
        first, second = map(str, options["access_tokens"])
        return Bursar(url=url, access_token=lambda rejected: second if rejected == first else first, timeout=timeout)
    if "client_id" in options:
        return Bursar(url=url, client_id=options["client_id"], client_secret=options["client_secret"])
    return Bursar(url=url, api_key=options["api_key"], timeout=timeout)


def _call(bursar: Bursar, call: dict[str, Any]) -> Any:
    names = {"timeout_s": "timeout", "http_method": "method"}
    options = {names.get(name, name): value for name, value in call.items() if name not in ("method", "take", "id")}
    if call["method"] == "fetch":
        response = bursar.fetch(**{**options, **({"method": call["http_method"]} if "http_method" in call else {})})
        return {"status": response.status, "text": response.text, "payment": response.payment}
    target: Any = bursar
    for part in call["method"].split("."):
        target = getattr(target, part)
    if call["method"] == "payments.list":
        found = []
        for payment in target(**options):
            found.append(payment)
            if len(found) == call.get("take"):
                break
        return found
    return target(*([call["id"]] if "id" in call else []), **options)


def _verify(call: dict[str, Any]) -> Any:
    hook = VECTORS["webhooks"][call["webhook"]]
    sent_at = int(hook["headers"]["webhook-timestamp"])
    headers = dict(hook["headers"])
    for name, value in call.get("headers", {}).items():
        filled = (value or "").replace("{signature}", hook["headers"]["webhook-signature"])
        headers[name] = filled.replace("{timestamp+1}", str(sent_at + 1))
        if value is None:
            del headers[name]
    if "headers_as" in call:
        headers = {name.title(): value for name, value in headers.items()}
    old, new = call.get("replace", ["", ""])
    return verify_webhook(
        hook["body"].replace(old, new, 1).encode(),
        headers,
        call.get("secret", hook["secret"]),
        tolerance_seconds=call.get("tolerance_seconds", 300),
        now=sent_at + call["after_s"],
    )


def _secrets_of(case: dict[str, Any]) -> list[str]:
    """The credentials of a case, without those that are everyday words."""
    client = case.get("client", {"api_key": API_KEY})
    named = {**client, **client.get("login", {}), "hook": VECTORS["webhooks"]["payment.confirmed"]["secret"], "token": "access-token"}
    texts = (named.get(name) for name in ("api_key", "client_secret", "access_token", "refresh_token", "hook", "token"))
    return [text for text in texts if text is not None and len(text) > 5]


def _fields(error: Exception) -> dict[str, Any]:
    request_id = getattr(error, "request_id", None)
    return {**vars(error), "request_id": request_id, "class": type(error).__name__, "message": str(error)}


def _difference(expect: dict[str, Any], outcome: dict[str, Any], seen: list[dict[str, Any]], login: Any) -> str | None:
    lines = [request["line"] for request in seen]
    got = f"{outcome}, after {lines}"
    if ("error" in expect) != ("error" in outcome):
        return f"another outcome: {got}"
    if "error" in expect and not _fits_error(dict(expect["error"]), outcome["error"]):
        return f"another error: {got}"
    if "result" in expect and not _fits(expect["result"], outcome["result"]):
        return f"another result: {got}"
    if "requests" in expect and expect["requests"] != lines:
        return f"other requests: {got}"
    if len(lines) < expect.get("requests_at_least", 0):
        return f"too few requests: {got}"
    for i, sent in enumerate(expect.get("sent", [])):
        if not _fits(sent, seen[i]):
            return f"sent something else than {sent}: {seen[i]}"
    for i, (least, most) in enumerate(expect.get("waits", [])):
        waited = seen[i + 1]["at"] - seen[i]["at"]
        if not least <= waited <= most:
            return f"waited {waited} seconds after request {i + 1}, not {least} to {most}"
    first: dict[str, Any] = {}
    for request in seen:
        known = first.setdefault(request["line"], request)
        if request["key"] is not None and (known["key"], known["body"]) != (request["key"], request["body"]):
            return "repeated something else"
    if "login" in expect and not _fits(expect["login"], login):
        return f"another login: {login}"
    return None


def _fits_error(expected: dict[str, Any], error: dict[str, Any]) -> bool:
    starts, has = expected.pop("message_starts", ""), expected.pop("message_has", "")
    return str(error["message"]).startswith(starts) and has in error["message"] and _fits(expected, error)


def _fits(expected: Any, got: Any) -> bool:
    """Whether a value has all that is expected. Lists have to be as long."""
    if expected == "{uuid}":
        return isinstance(got, str) and bool(UUID.fullmatch(got))
    if isinstance(expected, list):
        return isinstance(got, list) and len(got) == len(expected) and all(map(_fits, expected, got))
    if isinstance(expected, dict):
        return isinstance(got, dict) and all(_fits(each, got.get(name)) for name, each in expected.items())
    return bool(expected == got and isinstance(expected, bool) == isinstance(got, bool))


def main() -> None:
    """Runs the cases that a list of names in JSON chooses, with the SDK that is found first, and prints which fail."""
    names = json.loads(sys.argv[1]) if len(sys.argv) > 1 else []
    chosen = [case for case in VECTORS["cases"] if not names or case["name"] in names]
    server = Server()
    print(json.dumps([case["name"] for case in chosen if failure_of(case, server) is not None]))


if __name__ == "__main__":
    main()

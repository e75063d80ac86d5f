"""Calls of /v1."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import quote, urlencode

from . import _clock
from ._http import Reply, Request
from .transport import Tokens, Transport


class Api:
    def __init__(self, transport: Transport, tokens: Tokens) -> None:
        self.transport = transport
        self._tokens = tokens

    def get(self, path: str, ends_at: float | None, query: dict[str, Any] | None = None) -> Reply:
        search = f"?{urlencode(query)}" if query else ""
        request = Request("GET", f"{self.transport.url}{path}{search}")
        return self.transport.send(request, self._tokens, ends_at)

    def post(self, path: str, ends_at: float | None, body: Any = None, key: str | None = None) -> Reply:
        headers = {"content-type": "application/json"} if body is not None else {}
        if key is not None:
            headers["idempotency-key"] = key
        text = None if body is None else json.dumps(body, ensure_ascii=False).encode()
        request = Request("POST", f"{self.transport.url}{path}", headers, text)
        return self.transport.send(request, self._tokens, ends_at)


def ends_in(timeout: float | None) -> float | None:
    """A moment of the monotonic clock. None: never."""
    return None if timeout is None else _clock.monotonic() + timeout


def part(text: str) -> str:
    """An id as a part of a path."""
    return quote(text, safe="")

"""Where the bearer token of each request comes from."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from urllib.parse import urlencode

from . import _clock
from ._http import Request
from ._secret import Secret, for_header
from .errors import BursarError, BursarSignedOut
from .transport import Transport, body_of, seconds_in

AccessTokens = Callable[[str | None], str]
"""Returns an access token. Its argument is the one that was just not accepted, if there is one."""

_EARLY = 60  # a token is replaced this many seconds before it expires


class ApiKey:
    """An agent's API key."""

    can_renew = False

    def __init__(self, key: Secret) -> None:
        self._key = key

    def get(self, ends_at: float | None) -> Secret:
        return self._key

    def reject(self, token: Secret) -> None:
        pass


class FromElsewhere:
    """Access tokens that the caller gets, such as those that a person granted to its app."""

    can_renew = True

    def __init__(self, tokens: AccessTokens) -> None:
        self._tokens = tokens
        self._rejected: Secret | None = None

    def get(self, ends_at: float | None) -> Secret:
        return for_header(Secret(self._tokens(self._rejected.reveal() if self._rejected else None)), "access_token")

    def reject(self, token: Secret) -> None:
        self._rejected = token


class Client:
    """An agent's OAuth client, whose access tokens last 15 minutes. Threads share one token."""

    can_renew = True

    def __init__(self, client_id: str, client_secret: Secret, transport: Transport) -> None:
        self._id = client_id
        self._secret = client_secret
        self._transport = transport
        self._token: tuple[Secret, float] | None = None
        self._lock = threading.Lock()
        self._process = os.getpid()

    def get(self, ends_at: float | None) -> Secret:
        """Raises BursarSignedOut if the client is unknown, and what the transport raises."""
        with self._own_lock():
            if self._token is None or _clock.monotonic() >= self._token[1]:
                self._token = None
                self._token = self._issue(ends_at)
            return self._token[0]

    def reject(self, token: Secret) -> None:
        with self._own_lock():
            if self._token and self._token[0] == token:
                self._token = None

    def _own_lock(self) -> threading.Lock:
        """After a fork, the lock may be held by a thread that this process does not have."""
        if self._process != os.getpid():
            self._lock, self._process = threading.Lock(), os.getpid()
        return self._lock

    def _issue(self, ends_at: float | None) -> tuple[Secret, float]:
        asked_at = _clock.monotonic()
        reply = self._transport.send(self._request(), ends_at=ends_at)
        found = body_of(reply)
        body = found if isinstance(found, dict) else {}
        if reply.status in (400, 401):
            message = body.get("error_description") or "The client is unknown."
            raise BursarSignedOut("unauthenticated", message, status=reply.status)
        if not body.get("access_token"):
            raise BursarError("no_token", "The token endpoint issued no token.")
        lifetime = seconds_in(body)
        return Secret(body["access_token"]), asked_at + max(lifetime / 2, lifetime - _EARLY)

    def _request(self) -> Request:
        form = {
            "grant_type": "client_credentials",
            "client_id": self._id,
            "client_secret": self._secret.reveal(),
        }
        headers = {"content-type": "application/x-www-form-urlencoded"}
        return Request("POST", f"{self._transport.url}/oauth/token", headers, urlencode(form).encode())

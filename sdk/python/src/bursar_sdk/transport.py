"""Sends each request until its reply is definite."""

from __future__ import annotations

import json
import random
from email.utils import parsedate_to_datetime
from typing import Any, Protocol, cast
from urllib.parse import urlsplit

from . import _clock, _http
from ._http import NoReply, Reply, Request, origin_of
from ._secret import Secret
from .errors import BursarError, BursarOutcomeUnknown, error_of
from .types import Problem


_UNREACHED = {"ECONNREFUSED", "ENOTFOUND"}
_UNREACHED_FOR = 3.0
"""Seconds for which a server is asked that has never accepted a connection: its URL is probably wrong."""


class Tokens(Protocol):
    """Provides the bearer token of each request."""

    @property
    def can_renew(self) -> bool: ...
    def get(self, ends_at: float | None) -> Secret: ...
    def reject(self, token: Secret) -> None: ...


class Again(Exception):
    """The reply calls for another attempt. ``may_be_done``: this one may have had an effect."""

    def __init__(self, error: BursarError, may_be_done: bool) -> None:
        super().__init__(str(error))
        self.error = error
        self.may_be_done = may_be_done


class _Past:
    """``may_be_done``: an attempt may have had an effect although its reply was not received."""

    may_be_done = False


class Transport:
    """
    Every request of /v1 may be repeated, because those that create something carry an Idempotency-Key that stays the same. Keeps no
    connection, and only whether there has been one, so it may be used by many threads, and after a fork.
    """

    def __init__(self, url: str, *, timeout: float, retry_for: float) -> None:
        self.url = url
        self.timeout = timeout
        self.retry_for = retry_for
        self._was_reached = False

    def send(self, request: Request, tokens: Tokens | None = None, ends_at: float | None = None) -> Reply:
        """
        Returns success, or an error of Bursar that another attempt would not change. Raises BursarError if there is neither, and
        TimeoutError if ``ends_at`` (by the monotonic clock) passes before the request can have had an effect.
        """
        past = _Past()
        try:
            return self._until_definite(request, tokens, ends_at, past)
        except (BursarError, TimeoutError) as error:
            if not past.may_be_done and not isinstance(error, BursarOutcomeUnknown):
                raise
            known = error if isinstance(error, BursarError) else None
            unknown = BursarOutcomeUnknown(
                str(error),
                idempotency_key=request.headers.get("idempotency-key"),
                status=known.status if known else None,
                problem=known.problem if known else None,
            )
            raise unknown from None

    def _until_definite(self, request: Request, tokens: Tokens | None, ends_at: float | None, past: _Past) -> Reply:
        started_at = _clock.monotonic()
        has_effect = request.method != "GET" and tokens is not None
        has_renewed = False
        is_confirmed = False
        attempt = 0
        while True:
            left = time_left(ends_at)
            token = tokens.get(ends_at) if tokens else None
            outcome = _attempt(request, token, min(self.timeout, left))
            if not _is_unreached(outcome):
                self._was_reached = True
            if isinstance(outcome, NoReply) and outcome.sent:
                past.may_be_done = past.may_be_done or has_effect
            if _rejects(outcome) and tokens and token and tokens.can_renew and not has_renewed:
                has_renewed = True
                tokens.reject(token)
                continue
            try:
                reply = _definite(outcome, request.url)
                # A refusal may have overtaken an attempt whose reply was lost, so the first one is not believed.
                problem = _problem_in(reply)
                if problem and past.may_be_done and not is_confirmed:
                    is_confirmed = True
                    raise Again(error_of(reply.status, problem), False)
                return reply
            except Again as again:
                error, may_be_done = again.error, again.may_be_done
            past.may_be_done = past.may_be_done or (has_effect and may_be_done)
            wait = _retry_after(outcome) or _delay(attempt)
            retry_for = self.retry_for if self._was_reached else min(self.retry_for, _UNREACHED_FOR)
            if _clock.monotonic() + wait > started_at + retry_for:
                raise error from None
            pause(wait, ends_at)
            attempt += 1


def time_left(ends_at: float | None) -> float:
    """Seconds. Raises TimeoutError once there are none."""
    left = float("inf") if ends_at is None else ends_at - _clock.monotonic()
    if left <= 0:
        raise TimeoutError("the call took longer than its timeout")
    return left


def pause(seconds: float, ends_at: float | None) -> None:
    """Raises TimeoutError at ``ends_at``."""
    left = time_left(ends_at)
    _clock.sleep(min(seconds, left))
    time_left(ends_at)


def body_of(reply: Reply) -> Any:
    """The JSON of a reply, None if it is something else."""
    try:
        return json.loads(reply.body)
    except ValueError:
        return None


def seconds_in(token: dict[str, Any]) -> float:
    """How long a token that was issued lasts. Zero if the reply does not say."""
    seconds = token.get("expires_in")
    return float(seconds) if isinstance(seconds, (int, float)) else 0


def is_replayed(reply: Reply) -> bool:
    """Whether an earlier call with the same Idempotency-Key had created what the reply shows."""
    return bool(reply.headers.get("idempotent-replayed") == "true")


def unwrap(reply: Reply) -> Any:
    """The body of a success. Raises the error that another reply means."""
    problem = _problem_in(reply)
    if problem:
        raise error_of(reply.status, problem)
    return body_of(reply)


def _attempt(request: Request, token: Secret | None, timeout: float) -> Reply | NoReply:
    return _http.send(_with_token(request, token), timeout)


def _with_token(request: Request, token: Secret | None) -> Request:
    headers = {**request.headers, "accept": "application/json"}
    if token:
        headers["authorization"] = f"Bearer {token.reveal()}"
    return Request(request.method, request.url, headers, request.body)


def _is_unreached(outcome: Reply | NoReply) -> bool:
    """Whether there was not even a connection."""
    return isinstance(outcome, NoReply) and outcome.reason in _UNREACHED


def _rejects(outcome: Reply | NoReply) -> bool:
    return isinstance(outcome, Reply) and outcome.status == 401


def _problem_in(reply: Reply) -> Problem | None:
    body = body_of(reply)
    is_problem = isinstance(body, dict) and isinstance(body.get("code"), str) and isinstance(body.get("detail"), str)
    return cast(Problem, body) if is_problem else None


def _definite(outcome: Reply | NoReply, url: str) -> Reply:
    """Returns a definite reply. Raises Again, or BursarError if neither Bursar nor another attempt will help."""
    if isinstance(outcome, NoReply):
        where = f"{origin_of(url)}: {outcome.reason}."
        message = f"No reply from {where}"
        if _is_unreached(outcome):
            message = f"No connection to {where} Is this the URL of Bursar, and is it running?"
        if not outcome.sent:
            raise BursarError("not_trusted", message)
        raise Again(BursarOutcomeUnknown(message), True)
    status = outcome.status
    problem = _problem_in(outcome)
    is_json = isinstance(body_of(outcome), (dict, list))
    if status == 429 or status >= 500:
        error = error_of(status, problem) if problem and status == 429 else _unclear(outcome, url, problem)
        raise Again(error, status >= 500)
    if is_json and status < 300:
        return outcome
    if status < 300:
        raise Again(_unclear(outcome, url, None), True)
    # Another attempt could also be refused for want of credentials after an earlier one was accepted.
    if problem and status == 401:
        raise error_of(status, problem)
    if status >= 400 and outcome.may_end_in_headers():
        raise Again(_unclear(outcome, url, None), False)
    if problem or (is_json and urlsplit(url).path == "/oauth/token"):
        return outcome
    message = f"{_what_replied(outcome, url)} Is this the URL of Bursar?"
    raise BursarError("unexpected_reply", message, status=status)


def _unclear(reply: Reply, url: str, problem: Problem | None) -> BursarOutcomeUnknown:
    message = problem["detail"] if problem else _what_replied(reply, url)
    return BursarOutcomeUnknown(message, status=reply.status, problem=problem)


def _what_replied(reply: Reply, url: str) -> str:
    location = reply.headers.get("location")
    what = f"a redirect to {location}" if location else reply.headers.get("content-type") or "no content type"
    return f"{origin_of(url)} replied with status {reply.status} and {what}."


def _retry_after(outcome: Reply | NoReply) -> float:
    """Seconds, or a date as a proxy may send it. Zero if it is absent or neither."""
    value = outcome.headers.get("retry-after") if isinstance(outcome, Reply) else None
    if value is None or isinstance(outcome, NoReply):
        return 0
    try:
        return max(float(value), 0)
    except ValueError:
        at = _unix_time(value)
    # The server's clock counts, because ours may be wrong.
    now = _unix_time(outcome.headers.get("date") or "") or _clock.wall()
    return max(at - now, 0) if at else 0


def _unix_time(date: str) -> float | None:
    try:
        return parsedate_to_datetime(date).timestamp()
    except (TypeError, ValueError):
        return None


def _delay(attempt: int) -> float:
    """The delay before the next attempt if the reply names none: 0.25 s, 0.5 s … 8 s, each up to a fifth longer."""
    return float(min(8, 0.25 * 2**attempt) * (1 + random.random() / 5))

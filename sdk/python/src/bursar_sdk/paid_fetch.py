"""Requests that pay x402 sellers. See ``Bursar.fetch``."""

from __future__ import annotations

import base64
import json
import unicodedata
from collections.abc import Mapping
from email.message import Message
from typing import Any
from urllib.parse import urldefrag, urljoin, urlsplit

from . import _http
from ._http import NoReply, Reply, Request, origin_of
from ._input import Amount
from .errors import BursarError, BursarNotServed, BursarOutcomeUnknown
from .purchases import Challenge, Purchases, WaitForPurchase, not_signed_yet, payment_of
from .transport import time_left
from .types import Purchase

SIGNED_WITHIN = 60  # seconds to wait for a signature, unless the owner has to approve
_RECEIPT = 5  # seconds for telling Bursar what the seller replied: the response should not wait for long
_MAX_REDIRECTS = 20
_MAX_REDIRECTS_PAID = 5
_MAX_CHALLENGE = 131_072  # bytes, as much as Bursar reads


class PaidResponse:
    """A seller's response, read to its end. ``payment`` is the purchase that was made for it; None if nothing was asked."""

    def __init__(self, url: str, reply: Reply, payment: Purchase | None) -> None:
        self.url = url
        self.status = reply.status
        self.headers: Message = reply.headers
        self.body = reply.body
        self.payment = payment

    def __repr__(self) -> str:
        return f"<PaidResponse {self.status} {self.payment['id'] if self.payment else 'unpaid'}>"

    @property
    def ok(self) -> bool:
        return 200 <= self.status < 300

    @property
    def text(self) -> str:
        return self.body.decode(self.headers.get_content_charset() or "utf-8", "replace")

    def json(self) -> Any:
        """Raises ValueError if the body is something else."""
        return json.loads(self.body)


class Buyer:
    """Makes one request, and pays for it at most once."""

    def __init__(self, purchases: Purchases, key: str, timeout: float, ends_at: float | None) -> None:
        self._purchases = purchases
        self._key = key
        self._timeout = timeout
        self._ends_at = ends_at

    def fetch(
        self, request: Request, max_amount: Amount, notes: Mapping[str, str | None], wait: WaitForPurchase | None
    ) -> PaidResponse:
        last, reply = self._follow_unpaid(request)
        challenge = _challenge_of(reply) if reply.status == 402 else None
        if challenge is None:
            return PaidResponse(last.url, reply, None)
        _assert_not_elsewhere(request, last.url)
        left = time_left(self._ends_at)
        purchase = self._purchases.create(
            last.url,
            challenge,
            method=last.method,
            max_amount=max_amount,
            memo=notes.get("memo"),
            reference=notes.get("reference"),
            reason=notes.get("reason"),
            idempotency_key=self._key,
            wait=wait or "signed",
            timeout=None if wait and self._ends_at is None else min(left, float("inf") if wait else SIGNED_WITHIN),
        )
        return self._hand_over(last, purchase)

    def _hand_over(self, request: Request, purchase: Purchase) -> PaidResponse:
        signature = purchase["x402"]
        if signature is None:
            raise _not_signed(purchase, self._key)
        last, outcome, receipt = self._follow_paid(_with_header(request, "payment-signature", signature["header"]))
        seller = origin_of(request.url)
        if isinstance(outcome, NoReply):
            self._report(purchase, None, False)
            message = f"No reply from {seller} to the request that carried {purchase['id']}: {outcome.reason}."
            raise BursarOutcomeUnknown(message, idempotency_key=self._key, payment=payment_of(purchase))
        self._report(purchase, receipt, 200 <= outcome.status < 300)
        if outcome.status != 402:
            return PaidResponse(last.url, outcome, purchase)
        refused = _reason_in(receipt if receipt is not None else outcome.headers.get("payment-required"))
        why = f" It says: {refused}" if refused else ""
        message = f"{seller} was handed {purchase['id']} ({purchase['amount']} USDC) and still replied 402.{why}"
        payment = payment_of(purchase)
        raise BursarNotServed(message, payment=payment, idempotency_key=self._key, seller_reason=refused)

    def _send(self, request: Request) -> Reply | NoReply:
        return _http.send(request, min(self._timeout, time_left(self._ends_at)))

    def _follow_unpaid(self, request: Request) -> tuple[Request, Reply]:
        """Follows redirects as browsers do. Raises ConnectionError if there is no reply."""
        for _ in range(_MAX_REDIRECTS + 1):
            outcome = self._send(request)
            if isinstance(outcome, NoReply):
                raise ConnectionError(f"No reply from {origin_of(request.url)}: {outcome.reason}.")
            target = _redirect_of(outcome, request.url)
            if target is None:
                return request, outcome
            request = _redirected(request, outcome.status, target)
        raise ConnectionError(f"{origin_of(request.url)} redirects too often")

    def _follow_paid(self, request: Request) -> tuple[Request, Reply | NoReply, str | None]:
        """Follows redirects at the same host without a body. The seller may send its receipt with the first reply."""
        receipt: str | None = None
        for hops in range(_MAX_REDIRECTS_PAID + 1):
            outcome = self._send(request)
            if isinstance(outcome, NoReply):
                break
            receipt = receipt if receipt is not None else outcome.headers.get("payment-response")
            target = _redirect_of(outcome, request.url) if hops < _MAX_REDIRECTS_PAID else None
            bodiless = outcome.status == 303 or request.method in ("GET", "HEAD")
            if target is None or not bodiless or origin_of(target) != origin_of(request.url):
                break
            request = _redirected(request, 303, target)
        return request, outcome, receipt

    def _report(self, purchase: Purchase, payment_response: str | None, served: bool) -> None:
        """Never raises: the receipt is for the owner's records."""
        try:
            self._purchases.receipt(
                purchase["id"], payment_response=payment_response, served=served, timeout=_RECEIPT
            )
        except (BursarError, TimeoutError):
            pass


def request_of(method: str, url: str, headers: Mapping[str, str] | None, body: bytes | str | None) -> Request:
    """Raises TypeError for a URL that cannot be requested."""
    if urlsplit(url).scheme not in ("http", "https") or not urlsplit(url).hostname:
        raise TypeError(f"url: {url} is not an http or https URL")
    text_type = "text/plain;charset=UTF-8" if isinstance(body, str) else "application/octet-stream"
    given_headers = {name.lower(): value for name, value in (headers or {}).items()}
    own = {} if body is None else {"content-type": text_type}
    data = body.encode() if isinstance(body, str) else body
    return Request(method.upper(), urldefrag(url).url, {**own, **given_headers}, data)


def _challenge_of(reply: Reply) -> Challenge | None:
    """The header PAYMENT-REQUIRED, or a body that is such a challenge. None if this 402 is not from x402."""
    header = reply.headers.get("payment-required")
    if header is not None:
        return str(header)
    try:
        body = json.loads(reply.body) if len(reply.body) <= _MAX_CHALLENGE else None
    except ValueError:
        return None
    return body if isinstance(body, dict) and isinstance(body.get("accepts"), list) else None


def _assert_not_elsewhere(request: Request, resource: str) -> None:
    """What asks for money must be what the caller named, and the repeated request the same as the one that was refused."""
    reads = request.method in ("GET", "HEAD")
    if request.url == resource or (reads and origin_of(request.url) == origin_of(resource)):
        return
    message = (
        f"{origin_of(request.url)} redirects to {resource}, which asks for payment. "
        "Nothing was bought: request that address yourself if you trust it."
    )
    raise BursarError("redirected", message)


def _not_signed(purchase: Purchase, key: str) -> BursarError:
    if purchase["status"] != "CONFIRMED":
        return not_signed_yet(purchase, key)
    message = f"{purchase['id']} has paid for this already ({purchase['amount']} USDC), and the seller asks again."
    return BursarNotServed(message, payment=payment_of(purchase), idempotency_key=key)


def _with_header(request: Request, name: str, value: str) -> Request:
    return Request(request.method, request.url, {**request.headers, name: value}, request.body)


def _redirect_of(reply: Reply, url: str) -> str | None:
    location = reply.headers.get("location")
    if reply.status not in (301, 302, 303, 307, 308) or not location:
        return None
    target = urldefrag(urljoin(url, location)).url
    return target if urlsplit(target).scheme in ("http", "https") and urlsplit(target).hostname else None


def _redirected(request: Request, status: int, target: str) -> Request:
    """As fetch does: some redirects end the body, and credentials of the caller stay at their host."""
    reads = request.method in ("GET", "HEAD")
    ends_body = status == 303 and not reads or status in (301, 302) and request.method == "POST"
    dropped = {"authorization", "cookie", "proxy-authorization"} if origin_of(target) != origin_of(request.url) else set()
    headers = {
        name: value
        for name, value in request.headers.items()
        if name not in dropped and not (ends_body and name.startswith("content-"))
    }
    if ends_body:
        return Request("GET", target, headers)
    return Request(request.method, target, headers, request.body)


def _reason_in(header: str | None) -> str | None:
    """The seller's reason in one of its headers, as plain text."""
    try:
        fields = json.loads(base64.b64decode(header or ""))
        reason = fields.get("errorMessage") or fields.get("errorReason") or fields.get("error")
    except (ValueError, AttributeError):
        return None
    if not isinstance(reason, str) or not reason:
        return None
    return "".join(" " if unicodedata.category(each)[0] == "C" else each for each in reason)[:200]

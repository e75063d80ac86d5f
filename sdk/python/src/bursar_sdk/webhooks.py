"""Verifies what Bursar sends to webhooks."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
from collections.abc import Mapping
from typing import cast

from . import _clock
from ._secret import Secret
from .errors import BursarWebhookRejected
from .types import WebhookEvent


def verify_webhook(
    body: bytes | str,
    headers: Mapping[str, str],
    secret: str,
    *,
    tolerance_seconds: float = 300,
    now: float | None = None,
) -> WebhookEvent:
    """
    Checks that Bursar sent this request to a webhook, and returns its event. An event may arrive more than once and in any order: of
    two about one payment, the one with the higher ``data["seq"]`` is newer.

    ``body``: exactly as it was received, before any parsing. ``secret``: the webhook's, ``whsec_…``. ``tolerance_seconds``: how far the
    sender's clock may differ from ours. ``now``: unix seconds; by default the clock.

    Raises BursarWebhookRejected if the signature is wrong, the request is too old, or a header is missing.

    >>> event = verify_webhook(request.get_data(), request.headers, os.environ["WEBHOOK_SECRET"])
    >>> if event["type"] == "payment.confirmed":
    ...     print(event["data"]["id"], event["data"]["amount"])
    """
    key = Secret(secret)
    del secret  # tracebacks that print local variables would show it
    found = {name.lower(): value for name, value in headers.items()}
    for name in ("webhook-id", "webhook-timestamp", "webhook-signature"):
        if not found.get(name):
            raise BursarWebhookRejected(f"The header {name} is missing.")
    event_id, timestamp, signatures = (found[f"webhook-{name}"] for name in ("id", "timestamp", "signature"))
    differs = abs((_clock.wall() if now is None else now) - _number(timestamp))
    # Also refuses a timestamp that is no number.
    if not differs <= tolerance_seconds:
        raise BursarWebhookRejected(
            f"webhook-timestamp differs from the clock by {differs:.0f} seconds, more than {tolerance_seconds:g}."
        )
    raw = body.encode() if isinstance(body, str) else body
    if not _is_signed(f"{event_id}.{timestamp}.".encode() + raw, signatures, key):
        raise BursarWebhookRejected("No signature matches the secret.")
    return cast(WebhookEvent, json.loads(raw))


def _is_signed(content: bytes, signatures: str, secret: Secret) -> bool:
    expected = hmac.new(_key_of(secret), content, hashlib.sha256).digest()
    given = (each[3:] for each in signatures.split(" ") if each.startswith("v1,"))
    return any(hmac.compare_digest(_bytes_of(each) or b"", expected) for each in given)


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return float("nan")


def _key_of(secret: Secret) -> bytes:
    key = _bytes_of(secret.reveal().removeprefix("whsec_"))
    if not key:
        raise TypeError("secret: must be whsec_ and base64, as the dashboard shows it")
    return key


def _bytes_of(text: str) -> bytes | None:
    try:
        return base64.b64decode(text, validate=True)
    except ValueError:
        return None

"""What callers pass, checked before anything is sent."""

from __future__ import annotations

import re
import unicodedata
import uuid
from decimal import Decimal
from typing import Any, Union

from .types import PaymentRecipient

Recipient = Union[str, PaymentRecipient]
"""
A recipient, or a text that says what kind it is: ``0x…``, also after the name of a network, is an address, a text with ``@`` an
email address, one that starts with ``+`` or ``00`` a phone number.
"""
Amount = Union[str, Decimal]
"""Decimal USDC with at most 6 decimals."""

_ADDRESS = re.compile(r"(?:[a-z0-9-]+:)*(?:pay-)?0x", re.IGNORECASE)
_PHONE = re.compile(r"(?:tel:|\()?(?:[+＋]|00)", re.IGNORECASE)
_KEY = re.compile(r"[\x21-\x7e]{1,255}")


def recipient_of(to: Recipient) -> PaymentRecipient:
    """Bursar itself reads the text, as copied or as people write it. Raises TypeError if it is none of the three kinds."""
    if isinstance(to, dict):
        return to
    text = "".join(each for each in str(to) if unicodedata.category(each) != "Cf").strip()
    if _ADDRESS.match(text):
        return {"type": "address", "address": text}
    if "@" in text:
        return {"type": "email", "email": text}
    if _PHONE.match(text):
        return {"type": "phone", "phone": text}
    raise TypeError(f'to: "{text}" is neither an address (0x…), an email address nor a phone number (+…)')


def amount_of(amount: Amount, name: str = "amount") -> str:
    """Raises TypeError for a number that may not be the amount that was meant: 0.1 + 0.2 is 0.30000000000000004."""
    if isinstance(amount, str):
        return amount
    if isinstance(amount, Decimal) and amount.is_finite():
        return format(amount, "f")
    found = amount if isinstance(amount, Decimal) else f"of type {type(amount).__name__}"
    raise TypeError(f"{name}: must be a string of decimal USDC such as '12.5', or a Decimal, not {found}")


def check_until(until: str, name: str) -> None:
    """Raises TypeError for a word that means nothing: it would wait for the end."""
    if until in ("sent", "final"):
        return
    raise TypeError(f"{name}: must be 'sent' or 'final', not {until!r}")


def key_of(idempotency_key: str | None) -> str:
    """A new key if there is none. Raises TypeError for one that a header cannot carry as it is."""
    if idempotency_key is None:
        return str(uuid.uuid4())
    if isinstance(idempotency_key, str) and _KEY.fullmatch(idempotency_key) and "," not in idempotency_key:
        return idempotency_key
    raise TypeError("idempotency_key: must be 1 to 255 visible ASCII characters without commas")


def given(**fields: Any) -> dict[str, Any]:
    """Without those that are None."""
    return {name: value for name, value in fields.items() if value is not None}

"""Waits for payments."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from .errors import BursarOutcomeUnknown, BursarPaymentFailed, BursarRefusal
from .transport import pause
from .types import Payment

P = TypeVar("P", bound=Payment)

_CHAIN, _MAX_CHAIN, _PERSON = 0.5, 5.0, 15.0  # seconds: a chain needs seconds, a person minutes
_FINAL = {"CONFIRMED", "FAILED", "POLICY_REJECTED", "VALIDATION_FAILED", "CANCELLED"}


def is_final(payment: Payment) -> bool:
    return payment["status"] in _FINAL


def wait_for(
    payment: P,
    *,
    is_over: Callable[[P], bool],
    look: Callable[[P], P],
    ends_at: float | None,
    idempotency_key: str | None = None,
) -> P:
    """
    Looks at a payment until it is over. Raises BursarRefusal or BursarPaymentFailed if it has ended without paying, and
    BursarOutcomeUnknown with the payment as last seen if the wait ends early or gets no reply.
    """
    last = payment
    delay = _CHAIN
    while not is_over(last):
        try:
            pause(_PERSON if last["status"] == "PENDING_APPROVAL" else delay, ends_at)
            last = look(last)
        except (BursarOutcomeUnknown, TimeoutError) as error:
            # The payment goes on without us, so the caller needs to know which one it is.
            message = f"{last['id']} was {last['status']} when the wait ended: {error}"
            raise BursarOutcomeUnknown(message, idempotency_key=idempotency_key, payment=last) from None
        delay = min(delay * 1.5, _MAX_CHAIN)
    return _paid(last)


def _paid(payment: P) -> P:
    if not is_final(payment) or payment["status"] == "CONFIRMED":
        return payment
    if payment["status"] != "POLICY_REJECTED":
        raise BursarPaymentFailed(payment)
    error = payment["error"]
    code, message = "policy_refused", f"{payment['id']} was refused."
    if error is not None:
        code, message = error["code"], error["message"]
    raise BursarRefusal(code, message, payment_id=payment["id"])

"""Purchases from x402 sellers, step by step. ``Bursar.fetch`` takes all the steps."""

from __future__ import annotations

from typing import Any, Literal, Union, cast

from ._api import Api, ends_in, part
from ._input import Amount, amount_of, given, key_of
from ._waiting import is_final, wait_for
from .errors import BursarOutcomeUnknown
from .transport import is_replayed, unwrap
from .types import Payment, PaymentCheck, Purchase

WaitForPurchase = Literal["signed", "approved"]
"""
``signed``: until there is something to hand to the seller, which takes seconds, or until the owner has to approve. ``approved``: also
for the owner, who may take hours.
"""
Challenge = Union[str, dict[str, Any]]
"""What the seller sent: the header PAYMENT-REQUIRED as it is, or its JSON as a dict."""


class CreatedPurchase(Purchase):
    replayed: bool
    """Whether an earlier call with this key had created it."""


class Purchases:
    """``Bursar.purchases``."""

    def __init__(self, api: Api) -> None:
        self._api = api

    def create(
        self,
        resource: str,
        payment_required: Challenge,
        *,
        method: str = "GET",
        max_amount: Amount | None = None,
        memo: str | None = None,
        reference: str | None = None,
        reason: str | None = None,
        idempotency_key: str | None = None,
        wait: WaitForPurchase | None = None,
        timeout: float | None = None,
    ) -> CreatedPurchase:
        """
        Buys what a seller asks payment for with status 402. ``x402["header"]`` is the value of PAYMENT-SIGNATURE with which to repeat
        the request; the money leaves once the seller settles it, at the latest at ``x402["valid_before"]`` (unix seconds). ``x402``
        is None while the purchase is PENDING_APPROVAL or QUEUED, and once it has ended. The same key returns the same payload while
        it is valid. ``method`` is that of your request to the seller.

        Raises TypeError if ``max_amount`` is a number; BursarRefusal if a rule or the owner refuses; BursarPaymentFailed if a wait
        ends with a purchase that the seller can no longer settle; BursarOutcomeUnknown with the ``idempotency_key`` to repeat;
        BursarSignedOut.
        """
        key = key_of(idempotency_key)
        ends_at = ends_in(timeout)
        body = _request_of(resource, payment_required, method, max_amount, memo, reference, reason)

        def ask(_: Purchase | None = None) -> CreatedPurchase:
            reply = self._api.post("/v1/x402-payments", ends_at, body, key)
            return cast(CreatedPurchase, {**unwrap(reply), "replayed": is_replayed(reply)})

        def is_over(purchase: CreatedPurchase) -> bool:
            waits = wait == "signed" and purchase["status"] == "PENDING_APPROVAL"
            return purchase["x402"] is not None or is_final(purchase) or waits

        created = ask()
        if wait is None:
            return created
        # It is signed when its agent asks again after the approval, so that the seller has all the time to settle it.
        done = wait_for(created, is_over=is_over, look=ask, ends_at=ends_at, idempotency_key=key)
        return cast(CreatedPurchase, {**done, "replayed": created["replayed"]})

    def check(
        self,
        resource: str,
        payment_required: Challenge,
        *,
        method: str = "GET",
        max_amount: Amount | None = None,
        memo: str | None = None,
        reference: str | None = None,
        reason: str | None = None,
        timeout: float | None = None,
    ) -> PaymentCheck:
        """
        A dry run of ``create``: nothing is reserved or signed, so a later purchase may still be refused. A refusal by a rule is a
        result with ``allowed`` False and ``refusal``. Raises BursarError for a challenge that can't be paid.
        """
        body = _request_of(resource, payment_required, method, max_amount, memo, reference, reason)
        return cast(PaymentCheck, unwrap(self._api.post("/v1/x402-payments/check", ends_in(timeout), body)))

    def receipt(
        self, purchase_id: str, *, payment_response: str | None, served: bool, timeout: float | None = None
    ) -> Payment:
        """
        Tells Bursar what the seller replied, for the owner's records: its header PAYMENT-RESPONSE, and whether you got the resource.
        A later call replaces it. It decides nothing. Raises BursarError ``not_found``.
        """
        body = {"payment_response": payment_response, "served": served}
        path = f"/v1/x402-payments/{part(purchase_id)}/receipt"
        return cast(Payment, unwrap(self._api.post(path, ends_in(timeout), body)))


def not_signed_yet(purchase: Purchase, idempotency_key: str) -> BursarOutcomeUnknown:
    """The error of a purchase that there is nothing of to hand to the seller yet."""
    approval = purchase["approval"]
    needs = f" and needs the owner's approval at {approval['url']}" if approval else ""
    message = f"{purchase['id']} is {purchase['status']}{needs}. Repeat the call with the same idempotency_key later."
    return BursarOutcomeUnknown(message, idempotency_key=idempotency_key, payment=payment_of(purchase))


def payment_of(purchase: Purchase) -> Payment:
    """Without what is handed to the seller."""
    return cast(Payment, {name: value for name, value in purchase.items() if name not in ("x402", "replayed")})


def _request_of(
    resource: str,
    payment_required: Challenge,
    method: str,
    max_amount: Amount | None,
    memo: str | None,
    reference: str | None,
    reason: str | None,
) -> dict[str, Any]:
    return {
        "resource": resource,
        "method": method,
        "payment_required": payment_required,
        **({} if max_amount is None else {"max_amount": amount_of(max_amount, "max_amount")}),
        **given(memo=memo, reference=reference, reason=reason),
    }

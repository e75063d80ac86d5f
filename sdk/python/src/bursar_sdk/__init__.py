"""Lets a program pay in USDC on Base from a budget that a person controls."""

from ._input import Amount, Recipient
from ._version import __version__
from .client import Bursar, CreatedPayment, WaitUntil
from .credentials import AccessTokens
from .errors import (
    BursarError,
    BursarNotServed,
    BursarOutcomeUnknown,
    BursarPaymentFailed,
    BursarRefusal,
    BursarSignedOut,
    BursarWebhookRejected,
)
from .paid_fetch import PaidResponse
from .purchases import Challenge, CreatedPurchase, WaitForPurchase
from .types import (
    Budget,
    BudgetRequest,
    Payment,
    PaymentCheck,
    PaymentContext,
    PaymentRecipient,
    Problem,
    Purchase,
    PurchaseSignature,
    WebhookEvent,
)
from .webhooks import verify_webhook

__all__ = [
    "AccessTokens",
    "Amount",
    "Budget",
    "BudgetRequest",
    "Bursar",
    "BursarError",
    "BursarNotServed",
    "BursarOutcomeUnknown",
    "BursarPaymentFailed",
    "BursarRefusal",
    "BursarSignedOut",
    "BursarWebhookRejected",
    "Challenge",
    "CreatedPayment",
    "CreatedPurchase",
    "PaidResponse",
    "Payment",
    "PaymentCheck",
    "PaymentContext",
    "PaymentRecipient",
    "Problem",
    "Purchase",
    "PurchaseSignature",
    "Recipient",
    "WaitForPurchase",
    "WaitUntil",
    "WebhookEvent",
    "__version__",
    "verify_webhook",
]

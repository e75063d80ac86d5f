"""The client of Bursar for one agent."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal, cast

from ._api import Api, ends_in, part
from ._http import url_of
from ._input import Amount, Recipient, amount_of, check_until, given, key_of, recipient_of
from ._secret import Secret, for_header
from ._waiting import is_final, wait_for
from .credentials import AccessTokens, ApiKey, Client, FromElsewhere
from .errors import BursarSignedOut
from .login import LoginFile, LoginTokens, signed_out
from .paid_fetch import Buyer, PaidResponse, request_of
from .purchases import Purchases, WaitForPurchase
from .transport import Tokens, Transport, is_replayed, unwrap
from .types import BudgetRequest, Payment, PaymentCheck, PaymentContext, PaymentList, PayoutRun

DEFAULT_URL = "http://localhost:3001"

WaitUntil = Literal["sent", "final"]
"""
``sent``: until the money has left the wallet. The status is then CONFIRMED, or PENDING for a payout, whose recipient has the claim
link. ``final``: for a payout, until it is claimed or returned.
"""


class CreatedPayment(Payment):
    replayed: bool
    """Whether an earlier call with this key had created it."""


class PreparedRun(PayoutRun):
    replayed: bool
    """Whether an earlier call with this key had prepared it."""


class Bursar:
    """
    A client of Bursar for one agent. May be used by many threads, and after a fork.

    >>> bursar = Bursar()  # reads BURSAR_API_KEY and BURSAR_URL, or the login of `bursar login`
    >>> payment = bursar.pay("ada@example.com", "12.5", memo="Invoice 1142", wait="sent")
    >>> print(payment["id"], payment["status"])  # pay_0mws9c1f4k2b7 PENDING
    """

    def __init__(
        self,
        *,
        api_key: str | None = None,
        client_id: str | None = None,
        client_secret: str | None = None,
        access_token: AccessTokens | None = None,
        url: str | None = None,
        timeout: float = 30,
        retry_for: float = 60,
    ) -> None:
        """
        ``api_key``: the agent's. By default BURSAR_API_KEY, else the login of ``bursar login``. Instead: ``client_id`` and
        ``client_secret`` of the agent's OAuth client; or ``access_token``, a function that returns an access token and is called for
        each attempt, with the token that was just not accepted, or None.

        ``url``: where Bursar is; by default BURSAR_URL, that of the login, or http://localhost:3001. ``timeout``: seconds to wait for
        the reply of one attempt. ``retry_for``: seconds for which a request without a definite reply is repeated; a server that has never
        accepted a connection is given up after three.

        Raises TypeError for a URL to which credentials would go unencrypted, and BursarSignedOut if there are no credentials.
        """
        url = url or os.environ.get("BURSAR_URL") or None
        if not (api_key or access_token or (client_id and client_secret)):
            api_key = os.environ.get("BURSAR_API_KEY") or None
        key = Secret(api_key) if api_key else None
        client = (client_id, Secret(client_secret)) if client_id and client_secret else None
        del api_key, client_secret  # tracebacks that print local variables would show them
        if key:
            for_header(key, "api_key")
        file = LoginFile() if not (key or access_token or client) else None
        if file:
            url = _url_of_login(file, url)
        transport = Transport(url_of(url or DEFAULT_URL), timeout=timeout, retry_for=retry_for)
        self._api = Api(transport, _tokens(key, access_token, client, file, transport))
        self.url = transport.url
        self.payments = Payments(self._api)
        self.runs = Runs(self._api)
        self.budget_requests = BudgetRequests(self._api)
        self.purchases = Purchases(self._api)

    def __repr__(self) -> str:
        return f"<Bursar {getattr(self, 'url', '')}>"

    def pay(
        self,
        to: Recipient,
        amount: Amount,
        *,
        memo: str | None = None,
        reference: str | None = None,
        reason: str | None = None,
        idempotency_key: str | None = None,
        wait: WaitUntil | None = None,
        timeout: float | None = None,
    ) -> CreatedPayment:
        """
        Pays once, however often the request has to be repeated. ``idempotency_key`` names this payment: calls with the same key never
        pay twice. By default each call makes a new one.

        Without ``wait``, returns as soon as the payment is accepted or waits for the owner (PENDING_APPROVAL). With it, also waits for
        the owner and for the chain: until it is ``sent`` (to an address, confirmed; otherwise ready to be claimed), or ``final``. ``timeout``: seconds after which the call ends.

        Raises TypeError if the amount is neither a string nor a Decimal, or ``wait`` is another word; BursarRefusal if a rule or the owner refuses;
        BursarPaymentFailed if a wait ends without paying; BursarOutcomeUnknown with the ``idempotency_key`` to repeat;
        BursarSignedOut; TimeoutError if ``timeout`` passes before anything was sent.

        >>> # The order's number as the key: even after a crash, this order is paid once.
        >>> bursar.pay("0x8ba1f109551bD432803012645Ac136ddd64DBA72", "12.5", idempotency_key="order-1142")
        """
        if wait is not None:
            check_until(wait, "wait")
        key = key_of(idempotency_key)
        ends_at = ends_in(timeout)
        body = _terms(to, amount, memo, reference, reason)
        reply = self._api.post("/v1/payments", ends_at, body, key)
        payment = cast(Payment, unwrap(reply))
        if wait is not None:
            payment = self.payments._wait(payment, wait, ends_at, key)
        return cast(CreatedPayment, {**payment, "replayed": is_replayed(reply)})

    def check(
        self,
        to: Recipient,
        amount: Amount,
        *,
        memo: str | None = None,
        reference: str | None = None,
        reason: str | None = None,
        timeout: float | None = None,
    ) -> PaymentCheck:
        """
        A dry run of ``pay``: nothing is reserved or paid, so a later payment may still be refused. A refusal by a rule is a result
        with ``allowed`` False and ``refusal``.
        """
        body = _terms(to, amount, memo, reference, reason)
        return cast(PaymentCheck, unwrap(self._api.post("/v1/payments/check", ends_in(timeout), body)))

    def context(self, *, contact: str | None = None, timeout: float | None = None) -> PaymentContext:
        """
        The agent, its budget, what it may pay at most now, and its rules. Lists the first 100 contacts that it may pay, or those that
        contain the text ``contact``; ``contacts_total`` says how many there are.

        >>> bursar.context()["max_allowed_now"]  # 50
        """
        query = given(contact=contact or None)
        return cast(PaymentContext, unwrap(self._api.get("/v1/context", ends_in(timeout), query)))

    def fetch(
        self,
        url: str,
        *,
        method: str = "GET",
        headers: Mapping[str, str] | None = None,
        body: bytes | str | None = None,
        max_amount: Amount = "1",
        memo: str | None = None,
        reference: str | None = None,
        reason: str | None = None,
        idempotency_key: str | None = None,
        wait: Literal["approved"] | None = None,
        reply_timeout: float = 120,
        timeout: float | None = None,
    ) -> PaidResponse:
        """
        Requests ``url``. If the reply is an x402 seller's 402, buys what it asks for, at most for ``max_amount``, repeats the request with
        the payment, and tells Bursar the outcome. One call buys at most once. A 402 that is not from x402 is returned as it is.

        After the payment, redirects are followed at the same host and without a body; others are returned. If another host replies 402
        because of a redirect, nothing is bought: BursarError ``redirected``.

        ``wait="approved"`` waits for the owner if the purchase needs approval. ``reply_timeout``: seconds for each reply of the seller,
        because settling takes time. ``timeout``: seconds after which the call ends.

        Raises as ``purchases.create`` does; BursarOutcomeUnknown with ``payment`` and the ``idempotency_key`` to repeat if the owner has to
        approve, or if there is no whole reply to the request that carries the payment; BursarNotServed if the reply is 402 again;
        ConnectionError if there is no reply to the first request.

        >>> response = bursar.fetch("https://api.example.com/weather", max_amount="0.05")
        >>> print(response.json(), response.payment["amount"] if response.payment else 0)
        """
        amount_of(max_amount, "max_amount")
        request = request_of(method, url, headers, body)
        del headers  # tracebacks that print local variables would show credentials in them
        buyer = Buyer(self.purchases, key_of(idempotency_key), reply_timeout, ends_in(timeout))
        return buyer.fetch(request, max_amount, {"memo": memo, "reference": reference, "reason": reason}, wait)


    def prepare_run(
        self,
        title: str,
        rows: Iterable[Mapping[str, Any]] | None = None,
        *,
        csv: str | None = None,
        replaces: str | None = None,
        again: bool | None = None,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> PreparedRun:
        """
        Prepares many payments as one run, once, however often the request has to be repeated. ``rows`` have ``to`` and ``amount``, and may
        have ``name``, ``memo`` and ``reference``; ``csv`` is the text of a file with these columns instead. Nothing is paid: a person
        submits and decides on the page at ``url``. ``verdicts`` names the rows with errors, which are left out: correct them, and prepare
        all rows again with ``replaces``. ``again``: rows that are a run already are to be paid once more.

        Raises TypeError if an amount is neither a string nor a Decimal; BursarError ``same_run``; otherwise as ``pay`` does.

        >>> run = bursar.prepare_run("Salaries", [{"to": "ada@example.com", "amount": "950"}])
        >>> print(run["verdicts"], run["url"])  # give the address to the person who decides
        """
        given_rows = None if rows is None else [{**row, "amount": amount_of(row["amount"])} for row in rows]
        body = {"title": title, **given(rows=given_rows, csv=csv, replaces=replaces, again=again)}
        reply = self._api.post("/v1/runs", ends_in(timeout), body, key_of(idempotency_key))
        return cast(PreparedRun, {**cast(PayoutRun, unwrap(reply)), "replayed": is_replayed(reply)})


class Runs:
    """``Bursar.runs``."""

    def __init__(self, api: Api) -> None:
        self._api = api

    def get(self, run_id: str, *, timeout: float | None = None) -> PayoutRun:
        """The current state of a run that this agent has prepared. Raises BursarError ``not_found``."""
        return cast(PayoutRun, unwrap(self._api.get(f"/v1/runs/{part(run_id)}", ends_in(timeout))))


class Payments:
    """``Bursar.payments``."""

    def __init__(self, api: Api) -> None:
        self._api = api

    def get(self, payment_id: str, *, timeout: float | None = None) -> Payment:
        """The current state of a payment of this agent. Raises BursarError ``not_found``."""
        return self._get(payment_id, ends_in(timeout))

    def list(
        self, *, reference: str | None = None, page_size: int = 100, timeout: float | None = None
    ) -> Iterator[Payment]:
        """
        All payments of this agent, newest first, read page by page as they are needed. Refused ones are kept for 30 days. ``timeout`` is
        for each page.

        >>> for payment in bursar.payments.list(reference="order-1142"):
        ...     print(payment["id"])
        """
        cursor: str | None = None
        while True:
            query = given(reference=reference, limit=page_size, cursor=cursor)
            page = cast(PaymentList, unwrap(self._api.get("/v1/payments", ends_in(timeout), query)))
            yield from page["data"]
            cursor = page["next_cursor"]
            if cursor is None:
                return

    def cancel(self, payment_id: str, *, timeout: float | None = None) -> Payment:
        """Cancels a payment that is not signed yet. Repeating it is safe. Raises BursarError ``conflict`` if it is too late."""
        return cast(Payment, unwrap(self._api.post(f"/v1/payments/{part(payment_id)}/cancel", ends_in(timeout))))

    def wait(self, payment_id: str, *, until: WaitUntil = "sent", timeout: float | None = None) -> Payment:
        """
        Waits until a payment is sent or final. Raises BursarRefusal if the owner denies it or does not answer in time,
        BursarPaymentFailed, and BursarOutcomeUnknown with the payment as last seen if ``timeout`` seconds pass or there is no reply.
        """
        check_until(until, "until")
        ends_at = ends_in(timeout)
        return self._wait(self._get(payment_id, ends_at), until, ends_at)

    def _get(self, payment_id: str, ends_at: float | None) -> Payment:
        return cast(Payment, unwrap(self._api.get(f"/v1/payments/{part(payment_id)}", ends_at)))

    def _wait(self, payment: Payment, until: WaitUntil, ends_at: float | None, key: str | None = None) -> Payment:
        return wait_for(
            payment,
            is_over=lambda now: is_final(now) or (until == "sent" and now["status"] == "PENDING"),
            look=lambda now: self._get(now["id"], ends_at),
            ends_at=ends_at,
            idempotency_key=key,
        )


class BudgetRequests:
    """``Bursar.budget_requests``."""

    def __init__(self, api: Api) -> None:
        self._api = api

    def create(
        self,
        amount: Amount,
        *,
        reason: str | None = None,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> BudgetRequest:
        """
        Asks the owner to add ``amount`` to the budget; ``approval["url"]`` is the page where the owner decides. Raises as ``pay`` does.
        """
        body = {"amount": amount_of(amount), **given(reason=reason)}
        key = key_of(idempotency_key)
        return cast(BudgetRequest, unwrap(self._api.post("/v1/budget-requests", ends_in(timeout), body, key)))

    def get(self, request_id: str, *, timeout: float | None = None) -> BudgetRequest:
        """The current state of a request of this agent. Raises BursarError ``not_found``."""
        return cast(BudgetRequest, unwrap(self._api.get(f"/v1/budget-requests/{part(request_id)}", ends_in(timeout))))


def _terms(
    to: Recipient, amount: Amount, memo: str | None, reference: str | None, reason: str | None
) -> dict[str, Any]:
    return {
        "to": recipient_of(to),
        "amount": amount_of(amount),
        **given(memo=memo, reference=reference, reason=reason),
    }


def _tokens(
    key: Secret | None,
    access_token: AccessTokens | None,
    client: tuple[str, Secret] | None,
    file: LoginFile | None,
    transport: Transport,
) -> Tokens:
    if key:
        return ApiKey(key)
    if access_token:
        return FromElsewhere(access_token)
    if client:
        return Client(*client, transport)
    return LoginTokens(file or LoginFile())


def _url_of_login(file: LoginFile, url: str | None) -> str:
    login = file.read()
    if login is None:
        raise signed_out()
    # Its tokens are for nobody else.
    if url is not None and url_of(url) != login.url:
        raise BursarSignedOut("other_url", f"You are signed in at {login.url}, but BURSAR_URL is {url_of(url)}.")
    return login.url

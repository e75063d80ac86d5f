"""What needs this language rather than a case of sdk/vectors.json: credentials in tracebacks, threads, forks, proxies, TLS."""

from __future__ import annotations

import base64
import io
import json
import logging
import os
import pickle
import socket
import ssl
import tempfile
import threading
import traceback
import unittest
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import redirect_stderr, redirect_stdout
from decimal import Decimal
from pathlib import Path
from typing import Any, Callable
from unittest.mock import patch

from bursar_sdk import Bursar, BursarError, BursarOutcomeUnknown, BursarRefusal, BursarSignedOut, verify_webhook
from bursar_sdk._http import Request, send
from shown import shown_by
from vector_runner import VECTORS, Clock, Server

ADDRESS = "0x8ba1f109551bD432803012645Ac136ddd64DBA72"
CERTIFICATE = Path(__file__).parent / "self_signed.pem"
SECRET = "bk_the-secret"


class WithServer(unittest.TestCase):
    def setUp(self) -> None:
        self.server = Server()
        self.addCleanup(self.server.close)
        environment = {"BURSAR_API_KEY": "", "BURSAR_URL": "", "XDG_CONFIG_HOME": "/nowhere"}
        environment_patch = patch.dict(os.environ, environment)
        environment_patch.start()
        self.addCleanup(environment_patch.stop)

    def client(self, *replies: dict[str, Any], **options: Any) -> Bursar:
        self.server.replies, self.server.seen = list(replies), []
        given: dict[str, Any] = {"api_key": SECRET, "url": self.server.origins["bursar"], **options}
        return Bursar(**given)


class Credentials(WithServer):
    def test_are_in_no_repr_log_or_traceback(self) -> None:
        """The cases of sdk/vectors.json are searched as well."""
        lost, unpaid = {"fails": "lost"}, {"status": 402, "headers": {"payment-required": "e30="}}
        oauth: dict[str, Any] = {"api_key": None, "client_id": "cli", "client_secret": SECRET, "retry_for": 0}
        own: dict[str, Any] = {"headers": {"Authorization": SECRET}, "timeout": 5.0}
        origin = self.server.origins["bursar"]
        self.assert_hidden(
            lambda: self.client(lost, retry_for=0).pay(ADDRESS, "1"),
            lambda: self.client({"reply": "over_budget"}).pay(ADDRESS, "1"),
            lambda: self.client({"reply": "unauthenticated"}).context(),
            lambda: self.client(lost, **oauth).context(),
            lambda: self.client({"reply": "unknown_client"}, **oauth).context(),
            lambda: self.client({"status": 200, "body": "{}"}, **oauth).context(),
            lambda: self.client(lost, api_key=None, access_token=lambda _: SECRET, retry_for=0).context(),
            lambda: self.client(api_key=f"{SECRET}\n"),
            lambda: self.client(lost, retry_for=0).fetch(origin),
            lambda: self.client(unpaid, {"reply": "over_budget"}).fetch(origin, **own),
            lambda: self.client(unpaid, {"reply": "bought"}, unpaid).fetch(origin, **own),
            lambda: self.client(unpaid, {"reply": "bought"}, lost).fetch(origin, **own),
        )
        bursar = self.client()
        self.assertNotIn(SECRET, f"{bursar!r} {bursar.payments!r} {vars(bursar._api._tokens)} {vars(bursar._api)}")

    def test_of_the_login_are_in_no_traceback(self) -> None:
        login = {"url": self.server.origins["bursar"], "accessToken": SECRET, "refreshToken": SECRET, "freshUntil": 0}
        token = {"access_token": SECRET, "refresh_token": SECRET}

        def context(text: str, **reply: Any) -> object:
            with tempfile.TemporaryDirectory() as home, patch.dict(os.environ, {"XDG_CONFIG_HOME": home}):
                file = Path(home) / "bursar/login.json"
                file.parent.mkdir()
                file.write_text(text, "latin-1")
                return self.client(reply, api_key=None, url=None).context()

        self.assert_hidden(
            lambda: context(json.dumps(login)[:-1]),
            lambda: context(json.dumps({**login, "url": 7})),
            lambda: context(f"{SECRET} ÿ"),
            lambda: context(json.dumps(login), status=200, body={**token, "refresh_token": 7}),
            lambda: context(json.dumps(login), status=400, body={**token, "error": "invalid_request"}),
        )
        with patch("os.replace", side_effect=OSError("no space left")):
            self.assert_hidden(lambda: context(json.dumps(login), status=200, body=token))

    def test_of_webhooks_are_in_no_traceback(self) -> None:
        hook = VECTORS["webhooks"]["payment.confirmed"]
        secret = f"whsec_{base64.b64encode(SECRET.encode()).decode()}"
        self.assert_hidden(
            lambda: verify_webhook(hook["body"], {}, secret),
            lambda: verify_webhook(hook["body"], hook["headers"], secret),
            lambda: verify_webhook(hook["body"], hook["headers"], secret, now=int(hook["headers"]["webhook-timestamp"])),
            lambda: verify_webhook(hook["body"], hook["headers"], f"{secret}?", now=int(hook["headers"]["webhook-timestamp"])),
            secrets=[SECRET, secret],
        )

    def test_are_in_no_traceback_of_a_program_that_is_stopped(self) -> None:
        with patch("http.client.HTTPConnection.getresponse", side_effect=KeyboardInterrupt):
            self.assert_hidden(lambda: self.client().pay(ADDRESS, "1"))

    def assert_hidden(self, *calls: Callable[[], object], secrets: Sequence[str] = (SECRET,)) -> None:
        log = io.StringIO()
        handler = logging.StreamHandler(log)
        logging.getLogger().addHandler(handler)
        logging.getLogger().setLevel(logging.DEBUG)
        self.addCleanup(logging.getLogger().removeHandler, handler)
        for call in calls:
            try:
                with redirect_stdout(log), redirect_stderr(log):
                    call()
            except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001: any of them
                shown = shown_by(error) + log.getvalue()
                for secret in secrets:
                    self.assertNotIn(secret, shown)
            else:
                self.fail("raised nothing")

    def test_are_required(self) -> None:
        with self.assertRaises(BursarSignedOut) as raised:
            Bursar()
        self.assertEqual(str(raised.exception), "You are signed out. Run bursar login, or set BURSAR_API_KEY.")
        with patch.dict(os.environ, {"BURSAR_API_KEY": "bk_of_the_environment", "BURSAR_URL": self.server.origins["bursar"]}):
            self.server.replies, self.server.seen = [{"reply": "context"}], []
            Bursar().context()
        self.assertEqual(self.server.seen[0]["token"], "Bearer bk_of_the_environment")


class Amounts(WithServer):
    def test_decimals_are_sent_in_full(self) -> None:
        for amount, sent in ((Decimal("12.50"), "12.50"), (Decimal("1E+2"), "100"), (Decimal("0.000001"), "0.000001")):
            self.client({"reply": "created"}).pay(ADDRESS, amount)
            self.assertEqual(self.server.seen[0]["body"]["amount"], sent)

    def test_numbers_are_refused_with_a_sentence(self) -> None:
        for amount, kind in (
            (12.5, "of type float"),
            (5, "of type int"),
            (True, "of type bool"),
            (None, "of type NoneType"),
            (Decimal("NaN"), "NaN"),
        ):
            with self.assertRaises(TypeError) as raised:
                self.client({"reply": "created"}).pay(ADDRESS, amount)  # type: ignore[arg-type]
            sentence = f"amount: must be a string of decimal USDC such as '12.5', or a Decimal, not {kind}"
            self.assertEqual(str(raised.exception), sentence)
            self.assertEqual(self.server.seen, [])


class Waits(WithServer):
    def test_another_word_is_refused_before_anything_is_sent(self) -> None:
        calls: list[Callable[[Any], object]] = [
            lambda bursar: bursar.pay(ADDRESS, "1", wait="confirmed"),
            lambda bursar: bursar.payments.wait("pay_1", until="done"),
        ]
        for call in calls:
            with self.assertRaisesRegex(TypeError, "must be 'sent' or 'final', not '(confirmed|done)'"):
                call(self.client({"reply": "created"}))
            self.assertEqual(self.server.seen, [])


class Errors(WithServer):
    def test_a_refusal_says_what_to_do_in_its_repr_and_its_traceback(self) -> None:
        with self.assertRaises(BursarRefusal) as raised:
            self.client({"reply": "over_budget"}).pay(ADDRESS, "500")
        refusal = raised.exception
        figures = "rule='group.budget', max_allowed_now='17.99', max_without_asking='5'"
        self.assertTrue(repr(refusal).startswith(f'BursarRefusal("{refusal}", code=\'budget_exceeded\', status=403, {figures}, next='))
        last = "".join(traceback.format_exception(refusal)).splitlines()[-2:]
        self.assertEqual(last, [f"bursar_sdk.errors.BursarRefusal: {refusal}", refusal.next])
        unknown = BursarOutcomeUnknown("No reply.", idempotency_key="order-1")
        self.assertEqual(repr(unknown), "BursarOutcomeUnknown('No reply.', code='outcome_unknown', idempotency_key='order-1')")


class Processes(WithServer):
    def test_errors_survive_a_pickle(self) -> None:
        """Otherwise a pool of processes would wait for them for ever."""
        with self.assertRaises(BursarRefusal) as raised:
            self.client({"reply": "over_budget"}).pay(ADDRESS, "500")
        again = pickle.loads(pickle.dumps(raised.exception))
        self.assertEqual((str(again), vars(again)), (str(raised.exception), vars(raised.exception)))
        unknown = pickle.loads(pickle.dumps(BursarOutcomeUnknown("lost", idempotency_key="order-1")))
        self.assertEqual((unknown.code, unknown.idempotency_key), ("outcome_unknown", "order-1"))

    def test_threads_share_one_token(self) -> None:
        token = {"reply": "token", "body": {"access_token": "one"}}
        bursar = self.client(token, {"reply": "context"}, api_key=None, client_id="cli", client_secret=SECRET)
        with ThreadPoolExecutor(20) as pool:
            list(pool.map(lambda _: bursar.context(), range(40)))
        lines = [request["line"] for request in self.server.seen]
        self.assertEqual((lines.count("POST /oauth/token"), lines.count("GET /v1/context")), (1, 40))

    @unittest.skipUnless(hasattr(os, "fork"), "needs fork")
    def test_a_fork_while_a_thread_gets_a_token_does_not_wait_for_it(self) -> None:
        bursar = self.client({"reply": "context"}, api_key=None, client_id="cli", client_secret=SECRET)
        tokens: Any = bursar._api._tokens
        with tokens._lock:
            child = os.fork()
            if child == 0:
                with tokens._own_lock():
                    os._exit(7)
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 7)


class Network(WithServer):
    def test_a_proxy_of_the_environment_does_not_see_what_goes_to_this_computer(self) -> None:
        proxy = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(proxy.close)
        address = f"http://127.0.0.1:{proxy.getsockname()[1]}"
        with patch.dict(os.environ, {"http_proxy": address, "https_proxy": address, "no_proxy": ""}):
            self.client({"reply": "context"}).context()
            seen: list[bytes] = []

            def refuse() -> None:
                connection, _ = proxy.accept()
                seen.append(connection.recv(4096))
                connection.sendall(b"HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n")
                connection.close()

            thread = threading.Thread(target=refuse)
            thread.start()
            with self.assertRaises(BursarOutcomeUnknown):
                self.client(url="https://bursar.example", retry_for=0).context()
            thread.join()
        self.assertTrue(seen[0].startswith(b"CONNECT bursar.example:443 HTTP/1."))
        self.assertNotIn(SECRET.encode(), seen[0])

    def test_a_certificate_that_fails_ends_the_call_before_anything_is_sent(self) -> None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(CERTIFICATE)
        listener = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(listener.close)
        received: list[bytes] = []

        def accept() -> None:
            connection, _ = listener.accept()
            try:
                with context.wrap_socket(connection, server_side=True) as secured:
                    received.append(secured.recv(1))
            except OSError:
                pass

        thread = threading.Thread(target=accept)
        thread.start()
        with self.assertRaises(BursarError) as raised:
            self.client(url=f"https://localhost:{listener.getsockname()[1]}").pay(ADDRESS, "1")
        thread.join()
        self.assertEqual((type(raised.exception), raised.exception.code), (BursarError, "not_trusted"))
        self.assertIn("self-signed certificate", str(raised.exception))
        self.assertEqual(b"".join(received), b"")

    def test_a_reply_that_is_cut_anywhere_is_asked_for_again(self) -> None:
        """Byte by byte, also in its headers, which the cases of sdk/vectors.json do not cut."""
        for name, last in (("created", 201), ("over_budget", 403)):
            recorded = VECTORS["replies"][name]
            body = json.dumps(recorded["body"]).encode()
            head = f"HTTP/1.1 {last} X\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\nServer: x\r\n\r\n"
            whole = head.encode() + body
            listener = socket.create_server(("127.0.0.1", 0))
            self.addCleanup(listener.close)
            parts: list[bytes] = []
            stop = threading.Event()

            def serve() -> None:
                while not stop.is_set():
                    connection, _ = listener.accept()
                    with connection:
                        if parts:
                            connection.recv(65_536)
                            connection.sendall(parts.pop())

            thread = threading.Thread(target=serve)
            thread.start()
            bursar = self.client(url=f"http://127.0.0.1:{listener.getsockname()[1]}")
            with patch("bursar_sdk._clock.sleep"):
                for length in range(len(whole)):
                    parts[:] = [whole, whole, whole[:length]]
                    try:
                        self.assertEqual(bursar.pay(ADDRESS, "1")["id"], recorded["body"].get("id"))
                    except BursarRefusal as refusal:
                        self.assertEqual((name, refusal.rule), ("over_budget", "group.budget"))
                    # A refusal after a reply that was cut is asked for twice.
                    self.assertLessEqual(len(parts), 1, whole[:length])
            stop.set()
            socket.create_connection(listener.getsockname()).close()
            thread.join()

    def test_a_server_that_cannot_be_reached_is_told_from_one_that_was_lost(self) -> None:
        closed = socket.create_server(("127.0.0.1", 0))
        port = closed.getsockname()[1]
        closed.close()
        refused: Any = send(Request("GET", f"http://127.0.0.1:{port}/"), 5)
        self.assertEqual(refused.reason, "ECONNREFUSED")
        for number, reason in ((socket.EAI_NONAME, "ENOTFOUND"), (socket.EAI_AGAIN, "EAI_AGAIN")):
            with patch("socket.getaddrinfo", side_effect=socket.gaierror(number, "not known")):
                unknown: Any = send(Request("GET", "https://bursar.example/"), 5)
            self.assertEqual(unknown.reason, reason)

    def test_a_chunked_reply_that_ends_early_and_one_that_never_ends_are_no_replies(self) -> None:
        body = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{\"a\":\r\n"
        for then, expected in ((b"", "IncompleteRead"), (b"1\r\n \r\n", "timed out")):
            listener = socket.create_server(("127.0.0.1", 0))
            stop = threading.Event()

            def serve() -> None:
                connection, _ = listener.accept()
                connection.recv(4096)
                connection.sendall(body)
                try:
                    while then and not stop.wait(0.02):
                        connection.sendall(then)
                except OSError:
                    pass
                connection.close()

            thread = threading.Thread(target=serve)
            thread.start()
            outcome: Any = send(Request("GET", f"http://127.0.0.1:{listener.getsockname()[1]}/"), 0.2)
            stop.set()
            thread.join()
            listener.close()
            self.assertIn(expected, outcome.reason)


class Runner(unittest.TestCase):
    def test_a_clock_of_the_runner_moves_only_when_the_sdk_waits(self) -> None:
        clock = Clock(0)
        clock.sleep(2)
        self.assertEqual((clock.monotonic(), len(VECTORS["cases"]) >= 60), (2, True))


if __name__ == "__main__":
    unittest.main()

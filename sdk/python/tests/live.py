"""
Runs against a Bursar that is running, with an agent that may pay to addresses and buy: BURSAR_URL, BURSAR_API_KEY, BURSAR_CLIENT_ID,
BURSAR_CLIENT_SECRET, SELLER_URL. tests/gateway/python.test.ts starts it.
"""

from __future__ import annotations

import os
import unittest
from concurrent.futures import ThreadPoolExecutor

from bursar_sdk import Bursar, BursarError, BursarPaymentFailed, BursarRefusal, BursarSignedOut, CreatedPayment

TO = "0x8ba1f109551bD432803012645Ac136ddd64DBA72"
SELLER = os.environ["SELLER_URL"]


class Live(unittest.TestCase):
    def setUp(self) -> None:
        self.bursar = Bursar()

    def test_fifty_threads_with_one_key_pay_once(self) -> None:
        def pay(_: int) -> CreatedPayment:
            return self.bursar.pay(TO, "0.01", reference="threads", idempotency_key="threads-1")

        with ThreadPoolExecutor(50) as pool:
            paid = list(pool.map(pay, range(50)))
        self.assertEqual(len({payment["id"] for payment in paid}), 1)
        self.assertEqual([payment["replayed"] for payment in paid].count(False), 1)
        self.assertEqual(len(list(self.bursar.payments.list(reference="threads", page_size=1))), 1)

    def test_a_refusal_has_what_would_pass_and_a_check_says_so(self) -> None:
        context = self.bursar.context()
        check = self.bursar.check(TO, "500")
        self.assertEqual((check["allowed"], check["max_allowed_now"]), (False, context["max_allowed_now"]))
        with self.assertRaises(BursarRefusal) as raised:
            self.bursar.pay(TO, "500")
        refusal = raised.exception
        self.assertEqual((refusal.rule, refusal.max_allowed_now), ("group.budget", context["max_allowed_now"]))
        self.assertEqual(self.bursar.payments.get(refusal.payment_id or "")["status"], "POLICY_REJECTED")

    def test_two_calls_pay_twice_newest_first_with_a_token(self) -> None:
        client = Bursar(client_id=os.environ["BURSAR_CLIENT_ID"], client_secret=os.environ["BURSAR_CLIENT_SECRET"])
        first, second = (client.pay(TO, "0.01", reference="twice") for _ in range(2))
        listed = self.bursar.payments.list(reference="twice", page_size=1)
        self.assertEqual([payment["id"] for payment in listed], [second["id"], first["id"]])

    def test_a_payment_that_waits_for_the_owner_is_cancelled(self) -> None:
        asked = self.bursar.pay(TO, "6", reason="A test")
        self.assertEqual(asked["status"], "PENDING_APPROVAL")
        self.assertEqual(self.bursar.payments.cancel(asked["id"])["status"], "CANCELLED")
        with self.assertRaises(BursarPaymentFailed):
            self.bursar.payments.wait(asked["id"])
        request = self.bursar.budget_requests.create("50", reason="More invoices")
        self.assertEqual(self.bursar.budget_requests.get(request["id"])["amount"], "50")

    def test_a_purchase_is_served_and_confirmed(self) -> None:
        url = f"{SELLER}/data?city=Rome"
        response = self.bursar.fetch(url, max_amount="0.05", memo="Weather")
        self.assertEqual((response.status, response.text), (200, "paid /data"))
        assert response.payment is not None
        done = self.bursar.payments.wait(response.payment["id"], until="final", timeout=60)
        self.assertEqual((done["status"], done["amount"], done["memo"]), ("CONFIRMED", "0.05", "Weather"))
        self.assertTrue(done["receipt"] and done["receipt"]["served"])
        with self.assertRaises(BursarRefusal):
            self.bursar.fetch(url, max_amount="0.01")

    def test_credentials_that_nobody_knows_are_signed_out(self) -> None:
        with self.assertRaises(BursarSignedOut):
            Bursar(api_key="bk_unknown").context()
        with self.assertRaises(BursarSignedOut):
            Bursar(client_id=os.environ["BURSAR_CLIENT_ID"], client_secret="wrong").context()
        with self.assertRaises(BursarError):
            self.bursar.payments.get("pay_1")


if __name__ == "__main__":
    unittest.main()

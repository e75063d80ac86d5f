"""The Python SDK passes sdk/vectors.json. tests/domain/sdkVectors.test.ts runs the same with the TypeScript SDK."""

from __future__ import annotations

import unittest

from vector_runner import VECTORS, Server, failure_of


class Vectors(unittest.TestCase):
    def test_cases(self) -> None:
        server = Server()
        self.addCleanup(server.close)
        for case in VECTORS["cases"]:
            with self.subTest(case["name"]):
                self.assertIsNone(failure_of(case, server))


if __name__ == "__main__":
    unittest.main()

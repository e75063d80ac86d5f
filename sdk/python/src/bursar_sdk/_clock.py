"""The clock and the waiting of this package, which tests replace."""

import time

monotonic = time.monotonic
"""Seconds. Does not depend on whether the machine's clock is right."""
wall = time.time
"""Unix seconds."""
sleep = time.sleep

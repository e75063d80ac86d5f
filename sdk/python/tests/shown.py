"""What an error shows of itself: also in a traceback that prints local variables, as those of many error reporters do."""

from __future__ import annotations

import traceback
from pathlib import Path

_TESTS = str(Path(__file__).parent)


def shown_by(error: BaseException) -> str:
    """The frames of these tests are left out, because they hold the credentials themselves."""
    told = traceback.TracebackException.from_exception(error, capture_locals=True)
    frames = [frame for frame in told.stack if not frame.filename.startswith(_TESTS)]
    context = None if error.__suppress_context__ else error.__context__
    parts = [repr(error), str(error), str(vars(error)), repr(context), "".join(traceback.format_exception(error))]
    return "\n".join([*parts, *(f"{frame.name}: {frame.locals}" for frame in frames)])

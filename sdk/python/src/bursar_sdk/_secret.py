"""Credentials, which no repr, log or traceback shows."""

import re

_VISIBLE = re.compile(r"[\x20-\x7e]+")


class Secret:
    """Holds a text. Frames of calls that may fail have only this, because some tracebacks print local variables."""

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        self._text = text

    def __repr__(self) -> str:
        return "Secret(…)"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and other._text == self._text

    def __hash__(self) -> int:
        return hash(self._text)

    def reveal(self) -> str:
        return self._text

    def fits_header(self) -> bool:
        text = self._text
        return isinstance(text, str) and text.strip() == text and bool(_VISIBLE.fullmatch(text))


def for_header(secret: Secret, name: str) -> Secret:
    """Raises TypeError if a header could not carry it, without showing it."""
    if not secret.fits_header():
        raise TypeError(f"{name}: has a character that no credential has, such as a line break")
    return secret

"""The login of the command line: ``bursar login`` keeps it in a file, which programs of the same person may use."""

from __future__ import annotations

import json
import math
import os
import secrets
from pathlib import Path
from urllib.parse import urlencode

from . import _clock, _http
from ._http import NoReply, Reply, Request, url_of
from ._secret import Secret
from .errors import BursarError, BursarOutcomeUnknown, BursarSignedOut
from .transport import body_of, pause, seconds_in

_CLIENT_ID = "bursar-cli"  # at every Bursar; there is no secret, because a person allows each login
_EARLY = 60  # a token is replaced this many seconds before it expires
_ATTEMPT = 8  # for a minute the same exchange gets the same tokens, so an attempt has to end well before
_RETRY_FOR = 20
_PAUSE = 1


class Login:
    """``fresh_until``: epoch ms by this machine's clock."""

    __slots__ = ("url", "access_token", "refresh_token", "fresh_until")

    def __init__(self, url: str, access_token: str, refresh_token: str, fresh_until: float) -> None:
        self.url = url
        self.access_token = Secret(access_token)
        self.refresh_token = Secret(refresh_token)
        self.fresh_until = fresh_until


class LoginFile:
    """``bursar/login.json`` in $XDG_CONFIG_HOME, or in ~/.config. It is replaced as a whole, so no one reads half of it."""

    def __init__(self) -> None:
        home = os.environ.get("XDG_CONFIG_HOME", "")
        folder = Path(home) if os.path.isabs(home) else Path.home() / ".config"
        self.path = folder / "bursar" / "login.json"

    def read(self) -> Login | None:
        """None if nobody has logged in. Raises BursarSignedOut if the file cannot be used."""
        try:
            login = _login_in(self.path.read_text("utf-8"))
        except FileNotFoundError:
            return None
        except (OSError, UnicodeError) as error:
            raise BursarSignedOut("no_credentials", f"{self.path} cannot be read: {error}") from None
        if login is None:
            raise BursarSignedOut("no_credentials", f"{self.path} is damaged. Delete it, and run bursar login.")
        return login

    def require_writable(self) -> None:
        """Asked first, because tokens that cannot be kept are lost. Raises BursarError."""
        folder = self.path.parent
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not os.access(folder, os.W_OK):
            raise BursarError("login_not_kept", f"The login cannot be kept in {folder}: it is read-only.")

    def write(self, login: Login) -> None:
        draft = self.path.with_name(f"{self.path.name}.{secrets.token_hex(16)}")
        with open(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
            file.write(_text_of(login))
        os.replace(draft, self.path)

    def delete(self) -> None:
        self.path.unlink(missing_ok=True)


class LoginTokens:
    """
    Access tokens of the login. Programs and commands that run at once share the file: each reads it again before it renews the
    token, and after a renewal that was refused, because another one may have been first.
    """

    can_renew = True

    def __init__(self, file: LoginFile) -> None:
        self._file = file
        self._rejected: Secret | None = None

    def reject(self, token: Secret) -> None:
        self._rejected = token

    def get(self, ends_at: float | None) -> Secret:
        deadline = _clock.monotonic() + _RETRY_FOR
        refused: Secret | None = None
        while True:
            login = self._file.read()
            if login is None:
                raise signed_out()
            if login.access_token != self._rejected and _clock.wall() * 1000 < login.fresh_until:
                return login.access_token
            if login.refresh_token == refused:
                self._file.delete()
                raise BursarSignedOut("login_ended", "Your login was revoked or has expired. Run bursar login.")
            outcome = self._renew(login)
            if outcome is None:
                refused = login.refresh_token
            elif isinstance(outcome, Login):
                return outcome.access_token
            elif _clock.monotonic() + _PAUSE > deadline:
                raise outcome
            else:
                pause(_PAUSE, ends_at)

    def _renew(self, login: Login) -> Login | BursarOutcomeUnknown | None:
        """The new login, None if the refresh token is not valid (any more), or an error that another attempt may overcome."""
        self._file.require_writable()
        asked_at = _clock.wall()
        reply = _http.send(_renewal(login), _ATTEMPT)
        if isinstance(reply, NoReply):
            return BursarOutcomeUnknown(f"No reply from {login.url}: {reply.reason}.")
        if reply.status == 429 or reply.status >= 500:
            return BursarOutcomeUnknown(f"{login.url} replied with status {reply.status}.", status=reply.status)
        # For a token that another program has exchanged there is no new one: the file may have it by now.
        renewed = _renewed(reply, self._file.read() or login, asked_at)
        if isinstance(renewed, BursarError):
            raise renewed
        if renewed is not None:
            self._file.write(renewed)
        return renewed


def _renewed(reply: Reply, login: Login, asked_at: float) -> Login | BursarError | None:
    """Raises nothing, because its frame has the tokens. None: the refresh token is not valid (any more)."""
    body, status = body_of(reply), reply.status
    if not isinstance(body, dict):
        message = f"{login.url} replied with status {status}. Is this the URL of Bursar?"
        return BursarError("unexpected_reply", message, status=status)
    if status != 200 and body.get("error") == "invalid_grant":
        return None
    access_token, refresh_token = body.get("access_token"), body.get("refresh_token", login.refresh_token.reveal())
    if status != 200 or not isinstance(access_token, str) or not isinstance(refresh_token, str):
        code = str(body.get("error") or body.get("code") or "unexpected_reply")
        message = str(body.get("error_description") or body.get("detail") or f"Status {status}.")
        return BursarError(code, message, status=status)
    return Login(login.url, access_token, refresh_token, (asked_at + seconds_in(body) - _EARLY) * 1000)


def signed_out() -> BursarSignedOut:
    return BursarSignedOut("no_credentials", "You are signed out. Run bursar login, or set BURSAR_API_KEY.")


def _renewal(login: Login) -> Request:
    form = {
        "client_id": _CLIENT_ID,
        "grant_type": "refresh_token",
        "refresh_token": login.refresh_token.reveal(),
    }
    headers = {"content-type": "application/x-www-form-urlencoded"}
    return Request("POST", f"{login.url}/oauth/token", headers, urlencode(form).encode())


def _text_of(login: Login) -> str:
    fields = {
        "url": login.url,
        "accessToken": login.access_token.reveal(),
        "refreshToken": login.refresh_token.reveal(),
        "freshUntil": login.fresh_until,
    }
    return f"{json.dumps(fields, indent=2)}\n"


def _login_in(text: str) -> Login | None:
    try:
        fields = json.loads(text)
        access_token, refresh_token = fields["accessToken"], fields["refreshToken"]
        fresh_until = float(fields["freshUntil"])
        if not access_token or not refresh_token or not isinstance(fields["url"], str) or not math.isfinite(fresh_until):
            return None
        return Login(url_of(fields["url"]), str(access_token), str(refresh_token), fresh_until)
    except (ValueError, TypeError, KeyError):
        return None

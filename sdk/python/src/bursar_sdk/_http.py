"""Sends one request and reads its reply. Follows no redirect."""

import errno
import functools
import socket
import ssl
from collections.abc import Mapping
from email.message import Message
from http.client import HTTPException, HTTPResponse
from ipaddress import ip_address
from time import monotonic
from urllib.error import URLError
from urllib.parse import urlsplit
from urllib.request import HTTPHandler, HTTPSHandler, OpenerDirector, ProxyHandler
from urllib.request import Request as UrllibRequest

from ._version import __version__

_CHUNK = 65_536


class Request:
    """A request. Its repr has no headers, because they carry credentials."""

    __slots__ = ("method", "url", "headers", "body")

    def __init__(
        self, method: str, url: str, headers: Mapping[str, str] | None = None, body: bytes | None = None
    ) -> None:
        self.method = method
        self.url = url
        self.headers = {name.lower(): value for name, value in (headers or {}).items()}
        self.body = body

    def __repr__(self) -> str:
        return f"<Request {self.method} {origin_of(self.url)}>"


class Reply:
    """A reply, read to its end."""

    __slots__ = ("status", "headers", "body")

    def __init__(self, status: int, headers: Message, body: bytes) -> None:
        self.status = status
        self.headers = headers
        self.body = body

    def may_end_in_headers(self) -> bool:
        """Python does not tell when the connection ends in the middle of the headers."""
        is_chunked = self.headers.get("transfer-encoding", "").lower() == "chunked"
        return not (self.body or self.headers.get("content-length") or is_chunked)


class NoReply:
    """Why there was no whole reply. ``sent`` is False if the request never left, because the server is not trusted."""

    __slots__ = ("reason", "sent")

    def __init__(self, reason: str, *, sent: bool = True) -> None:
        self.reason = reason
        self.sent = sent


def send(request: Request, timeout: float) -> Reply | NoReply:
    """Returns what happened instead of raising, so that no traceback has a frame with the credentials."""
    deadline = monotonic() + timeout
    outgoing = UrllibRequest(request.url, request.body, request.headers, method=request.method)
    try:
        response = _opener(is_local(request.url)).open(outgoing, timeout=timeout)
        with response:
            return Reply(response.status, response.headers, _read(response, deadline))
    except (OSError, HTTPException) as error:
        cause = error.reason if isinstance(error, URLError) and isinstance(error.reason, Exception) else error
        return NoReply(_reason(cause), sent=not isinstance(cause, ssl.SSLCertVerificationError))
    except BaseException as error:  # such as Ctrl-C
        raise error.with_traceback(None) from None


def _read(response: HTTPResponse, deadline: float) -> bytes:
    expected = response.length  # None if it is not known beforehand
    body = bytearray()
    while expected is None or len(body) < expected:
        chunk = response.read1(_CHUNK)
        if not chunk:
            break
        body += chunk
        if monotonic() > deadline:
            raise TimeoutError
    if expected is not None and len(body) < expected:
        raise HTTPException("the reply ended in the middle")
    return bytes(body[:expected])


def _reason(error: BaseException) -> str:
    if isinstance(error, TimeoutError):
        return "timed out"
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"its certificate is not trusted ({getattr(error, 'verify_message', error)})"
    if isinstance(error, socket.gaierror):
        return "EAI_AGAIN" if error.errno == socket.EAI_AGAIN else "ENOTFOUND"
    code = errno.errorcode.get(error.errno or 0) if isinstance(error, OSError) else None
    return code or str(error) or type(error).__name__


@functools.cache
def _tls() -> ssl.SSLContext:
    return ssl.create_default_context()


def _opener(local: bool) -> OpenerDirector:
    """Uses the proxies of the environment, but not for this computer: they would see credentials that are sent unencrypted."""
    opener = OpenerDirector()
    opener.addheaders = [("User-Agent", f"bursar-sdk-python/{__version__}")]
    for handler in (ProxyHandler({} if local else None), HTTPHandler(), HTTPSHandler(context=_tls())):
        opener.add_handler(handler)
    return opener


def is_local(url: str) -> bool:
    host = urlsplit(url).hostname or ""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def origin_of(url: str) -> str:
    """``https://host`` with its port, unless it is the usual one."""
    parts = urlsplit(url)
    host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname
    usual = {"https": 443, "http": 80}.get(parts.scheme)
    port = "" if parts.port in (None, usual) else f":{parts.port}"
    return f"{parts.scheme}://{host}{port}"


def url_of(text: str) -> str:
    """The origin of a Bursar. Raises TypeError if it is not a URL, or if credentials would be sent to it unencrypted."""
    try:
        parts = urlsplit(text)
        valid = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != -1
    except ValueError:
        valid = False
    if not valid:
        raise TypeError("url: is not the URL of a server, such as https://bursar.example")
    origin = origin_of(text)
    if parts.scheme != "https" and not is_local(text):
        raise TypeError(f"url: {origin} must use https, or credentials would be sent unencrypted")
    return origin

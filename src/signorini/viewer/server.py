"""The server of the viewer: HTTP on loopback, for the page that it sends and for nobody else.

A request is answered only if it comes from an address of this machine, names this machine as its host (a foreign name that
resolves to 127.0.0.1 is refused) and does not come from a page of another origin. For other hosts, if the user asks for one,
the address has a secret. There are no WebSockets; a request for one is refused.
"""

from __future__ import annotations

import hmac
import ipaddress
import secrets
import threading
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar
from urllib.parse import parse_qs, urlsplit

from signorini.errors import InputError
from signorini.viewer.page import served_page
from signorini.viewer.recording import Recording

LOOPBACK = "127.0.0.1"
_OWN_NAMES = {"localhost", "127.0.0.1", "[::1]"}


class ViewerServer:
    """Serves a recording from a thread of its own until `close`; also a context."""

    def __init__(self, recording: Recording, *, host: str = LOOPBACK, port: int = 0):
        """`port` 0 takes a free one. A `host` other than loopback needs the secret in `url`."""
        if not 0 <= port <= 65535:
            raise InputError(f"port must be between 0 and 65535, got {port}")
        self.local = _is_loopback(host)
        secret = "" if self.local else secrets.token_urlsafe(16)
        handler = type("Handler", (_Handler,), {"recording": recording, "secret": secret, "lock": threading.Lock()})
        try:
            self._server = ThreadingHTTPServer((host, port), handler)
        except (OSError, UnicodeError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise InputError(f"the viewer cannot listen on {host} at port {port}: {reason}") from None
        self._server.daemon_threads = True
        self.host, self.port = host, int(self._server.server_address[1])
        shown = host if self.local or host not in ("0.0.0.0", "::", "") else _name_of_this_machine()
        self.url = f"http://{shown}:{self.port}/" + (f"?token={secret}" if secret else "")
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.1,), daemon=True)
        self._thread.start()

    def __repr__(self) -> str:
        return f"<viewer at {self.url}>"

    def close(self) -> None:
        """End the server."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def __enter__(self) -> ViewerServer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class _Handler(BaseHTTPRequestHandler):
    """Answers one request."""

    recording: ClassVar[Recording]
    secret: ClassVar[str]
    lock: ClassVar[threading.Lock]
    """Of the recording, which is read by one thread at a time."""
    protocol_version = "HTTP/1.1"
    server_version, sys_version = "signorini", ""

    def do_GET(self) -> None:
        """The page, or data for it."""
        refusal = self._refusal()
        if refusal:
            self._send(HTTPStatus.FORBIDDEN, refusal.encode(), "text/plain; charset=utf-8")
            return
        try:
            body, kind = self._answer()
        except KeyError:
            self._send(HTTPStatus.NOT_FOUND, b"there is no such page", "text/plain; charset=utf-8")
        except (InputError, ValueError, OSError) as error:
            self._send(HTTPStatus.BAD_REQUEST, str(error).encode(), "text/plain; charset=utf-8")
        else:
            self._send(HTTPStatus.OK, body, kind)

    def _refusal(self) -> str:
        """Why a request is not answered, or nothing."""
        host, origin = self.headers.get("Host", ""), self.headers.get("Origin")
        if self.headers.get("Upgrade"):
            return "this server has no WebSockets"
        if not self.secret:
            if not _is_loopback(self.client_address[0]):
                return "only this machine may look at this viewer"
            name, _, port = host.rpartition(":")
            if name not in _OWN_NAMES or port != str(self.connection.getsockname()[1]):
                return "the viewer does not answer to this host name"
        else:
            given = parse_qs(urlsplit(self.path).query).get("token", [""])[0]
            if not hmac.compare_digest(given.encode(), self.secret.encode()):
                return "the address of this viewer has a token, which is missing or wrong"
        if origin is not None and origin != f"http://{host}":
            return "pages of other origins may not look at this viewer"
        return ""

    def _answer(self) -> tuple[bytes, str]:
        address = urlsplit(self.path)
        match address.path.strip("/").split("/"):
            case [""]:
                return served_page(self.recording.title).encode(), "text/html; charset=utf-8"
            case ["scene"]:
                with self.lock:
                    return self.recording.scene(), "application/octet-stream"
            case ["news"]:
                known = {name: int(values[0]) for name, values in parse_qs(address.query).items() if name != "token"}
                with self.lock:
                    found = self.recording.news(frames=known.get("frames", 0), steps=known.get("steps", 0))
                return found, "application/octet-stream"
            case ["frame", number]:
                with self.lock:
                    return self.recording.frame(int(number)), "application/octet-stream"
        raise KeyError(self.path)

    def _send(self, status: HTTPStatus, body: bytes, kind: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "no-store")
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("Referrer-Policy", "no-referrer")
        self.send_header("Cross-Origin-Resource-Policy", "same-origin")
        policy = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; connect-src 'self'"
        self.send_header("Content-Security-Policy", f"{policy}; frame-ancestors 'none'")
        if status is not HTTPStatus.OK:
            self.send_header("Connection", "close")
            self.close_connection = True
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Print nothing."""


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _name_of_this_machine() -> str:
    import socket

    return socket.gethostname()

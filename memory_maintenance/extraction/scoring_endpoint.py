"""Where scores come from: the endpoint as configured, and one exchange with it.

An exchange is one POST, neither repeated nor redirected; what it came to is a ``Reply``, whatever happened.
"""

from __future__ import annotations

import json
import re
import ssl
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import urlsplit

import httpx

from memory_maintenance import __version__
from memory_maintenance.config.models import ScoringSettings
from memory_maintenance.errors import UsageError
from memory_maintenance.model.hosts import is_loopback
from memory_maintenance.model.one_line import one_line

LARGEST_ANSWER: Final = 1024 * 1024
"""Bytes of a response that are read: 200 scores take less than a hundredth of it."""

_LONGEST_WORDS: Final = 200
_REMEDY: Final = (
    "scoring: {base_url: 'http://localhost:11434/v1', model: 'qwen2.5:7b'} in the YAML file"
)
_KEY: Final = re.compile(r"[!-~]+")


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where to ask, and how. key: None where none is needed; shown nowhere. local: on this machine."""

    url: str
    model: str
    key: str | None = field(repr=False)
    temperature: float | None
    timeout_s: float
    local: bool
    tls: bool


@dataclass(frozen=True, slots=True)
class Reply:
    """What an exchange came to. status: None where no whole response came, and words say why.

    retry_after, date: those headers. location: the host that a redirect leads to. too_large: the body was
    given up. words: of the endpoint or the transport, one short line without the key.
    """

    status: int | None
    body: bytes = b""
    retry_after: str | None = None
    date: str | None = None
    location: str | None = None
    too_large: bool = False
    words: str = ""


def endpoint(settings: ScoringSettings, environ: Mapping[str, str]) -> Endpoint:
    """The endpoint as configured. Raises UsageError, with what to write, where it can't be used."""
    if settings.base_url is None or settings.model is None:
        lacking = " and ".join(
            f"scoring.{name}" for name in ("base_url", "model") if getattr(settings, name) is None
        )
        raise UsageError(
            f"importance score is off: {lacking} {'are' if ' and ' in lacking else 'is'} not set",
            remedy=_REMEDY,
        )
    parts = urlsplit(settings.base_url)
    local = is_loopback(parts.hostname or "")
    if parts.scheme == "http" and not local and not settings.plain_http:
        raise UsageError(
            f"scoring.base_url would send facts, and the key, unencrypted to {parts.hostname}",
            remedy="use https://, or scoring: {plain_http: true} where the network can be trusted",
        )
    return Endpoint(
        settings.base_url + "/chat/completions",
        settings.model,
        _key(settings, environ),
        settings.temperature,
        settings.timeout.total_seconds(),
        local,
        parts.scheme == "https",
    )


def client(to: Endpoint, concurrency: int) -> httpx.Client:
    """A client for so many requests at once. It follows no redirect, which might lead the key elsewhere.

    Raises UsageError where a proxy or the certificates that the environment names can't be used.
    """
    headers = {
        "Content-Type": "application/json",
        "Accept": "application/json",
        # A compressed body may be a thousand times as large as what is read of it.
        "Accept-Encoding": "identity",
        "User-Agent": f"memory-maintenance/{__version__}",
    }
    if to.key is not None:
        headers["Authorization"] = f"Bearer {to.key}"
    return _with_proxies(
        headers=headers,
        timeout=httpx.Timeout(to.timeout_s),
        limits=httpx.Limits(max_connections=concurrency, max_keepalive_connections=concurrency),
        follow_redirects=False,
        # What stays on this machine goes through no proxy, whatever the environment says of others.
        trust_env=not to.local,
        # Certificates take a tenth of a second to load. Without TLS none are needed, and none are trusted.
        verify=ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        if to.local and not to.tls
        else _authorities(),
    )


def _authorities() -> ssl.SSLContext:
    try:
        return httpx.create_ssl_context()
    except OSError as error:
        raise UsageError(
            f"the certificates of authorities can't be read: {error.strerror or type(error).__name__}",
            remedy="check SSL_CERT_FILE and SSL_CERT_DIR",
        ) from None


def _with_proxies(**options: Any) -> httpx.Client:
    try:
        return httpx.Client(**options)
    except (ImportError, ValueError, httpx.InvalidURL):
        # What is wrong isn't quoted: a proxy's address may hold a password.
        raise UsageError(
            "a proxy that the environment names can't be used",
            remedy="check HTTPS_PROXY, HTTP_PROXY, ALL_PROXY and NO_PROXY; "
            "they take http:// and https://, not socks",
        ) from None


def exchange(http: httpx.Client, to: Endpoint, content: bytes) -> Reply:
    """Sends one request. The timeout holds for the whole of the response's body too."""
    began = time.monotonic()
    try:
        with http.stream("POST", to.url, content=content) as response:
            if response.headers.get("Content-Encoding", "identity").lower() != "identity":
                return Reply(None, words="the endpoint compresses its answer, unasked")
            body = b""
            for chunk in response.iter_raw():
                body += chunk
                if len(body) > LARGEST_ANSWER:
                    return Reply(response.status_code, too_large=True)
                if time.monotonic() - began > to.timeout_s:
                    return Reply(None, words="the answer took too long")
    except httpx.HTTPError as error:
        said = f"{type(error).__name__}: {error}".rstrip(": ")
        return Reply(None, words=_without_key(said, to))
    status = response.status_code
    return Reply(
        status,
        body,
        response.headers.get("Retry-After"),
        response.headers.get("Date"),
        _host(response) if 300 <= status <= 399 else None,
        words=_without_key(_complaint(body), to) if status >= 300 or b'"error"' in body else "",
    )


def _key(settings: ScoringSettings, environ: Mapping[str, str]) -> str | None:
    name = settings.api_key_env
    if name is None:
        return None
    key = environ.get(name, "").strip()
    if not key:
        raise UsageError(
            f"the environment variable {name}, which scoring.api_key_env names, is not set",
            remedy=f"export {name}=..., or leave scoring.api_key_env out where no key is needed",
        )
    if _KEY.fullmatch(key) is None:
        raise UsageError(f"the environment variable {name} holds what can't be a key")
    return key


def _host(response: httpx.Response) -> str:
    try:
        target = urlsplit(str(response.url.join(response.headers.get("Location", ""))))
    except (httpx.InvalidURL, ValueError):
        return "somewhere"
    return f"{target.scheme}://{target.hostname}"


def _complaint(body: bytes) -> str:
    """What the endpoint says of an error, in the forms that are in use; "" where it isn't found."""
    try:
        document = json.loads(body)
    except (ValueError, RecursionError):
        return ""
    found = document.get("error", document.get("detail")) if isinstance(document, dict) else None
    if isinstance(found, dict):
        found = found.get("message")
    return found if isinstance(found, str) else ""


def _without_key(text: str, to: Endpoint) -> str:
    if to.key is not None:
        text = text.replace(to.key, "***")
    return one_line(text, _LONGEST_WORDS)

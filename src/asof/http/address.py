"""Which addresses may be asked, and how they are shown without what may be secret in them."""

from __future__ import annotations

import re
from urllib.parse import urljoin, urlsplit

from asof.errors import UsageError


def is_loopback(host: str) -> bool:
    """Whether a host is this machine: nobody else can read what is sent to it over plain http."""
    return host in ("localhost", "::1") or re.fullmatch(r"127(?:\.[0-9]{1,3}){3}", host) is not None


def shown(url: str) -> str:
    """The address without its query, fragment, user and password."""
    return re.sub(r"//[^/]*@", "//", re.split(r"[?#]", url)[0])


def path_of(url: str) -> str:
    """The path and the query of an address, as a request names them."""
    parts = urlsplit(url)
    return (parts.path or "/") + (f"?{parts.query}" if parts.query else "")


def check_address(url: str, *, insecure: bool = False) -> None:
    """Raises UsageError for what is no http or https address, for one with a password in it, and for plain
    http to another machine unless it is `insecure`."""
    if not re.fullmatch(r"https?://[!-~]+", url) or not _has_host(url):
        shown_url = "of another form" if "@" in url else repr(shown(url))  # a password may be in it
        raise UsageError(f"url is {shown_url}; accepted: http://host:port/path, https://...")
    parts = urlsplit(url)
    if "@" in parts.netloc:
        raise UsageError(f"url {shown(url)} holds a password; name a variable that holds a key instead")
    if not insecure and parts.scheme == "http" and not is_loopback(parts.hostname or ""):
        raise UsageError(
            f"url {shown(url)} is plain http to another machine, where all on the way can read texts and "
            "key; accepted: https, or insecure = true beside it"
        )


def check_base(url: str, path: str, *, insecure: bool = False) -> None:
    """The same for the address that ends before `path`, such as /embeddings. Raises UsageError."""
    check_address(url, insecure=insecure)
    parts = urlsplit(url)
    if parts.query or parts.fragment or parts.path.rstrip("/").endswith(path):
        raise UsageError(
            f"url {shown(url)} is the whole address of a request; accepted: what stands before "
            f"{path} in it, such as https://api.openai.com/v1"
        )


def redirect_target(url: str, location: str, domain: str = "") -> str:
    """The address that a redirect from `url` leads to. Raises ValueError unless it is one of the same host,
    or (by https, at the usual port) of `domain` as `url` is; never one from https to http."""
    target = urljoin(url, location)
    old, new = urlsplit(url), urlsplit(target)
    same = (old.hostname, old.port) == (new.hostname, new.port)
    related = in_domain(old.hostname or "", domain) and in_domain(new.hostname or "", domain)
    related = related and new.scheme == "https" and new.port in (None, 443)
    downgraded = new.scheme not in (old.scheme, "https")
    if downgraded or "@" in new.netloc or not (same or related):
        raise ValueError("another host, or plain http")
    return target


def in_domain(host: str, domain: str) -> bool:
    """Whether a host is a domain or lies in it; no host is in the domain ""."""
    return bool(domain) and (host == domain or host.endswith(f".{domain}"))


def _has_host(url: str) -> bool:
    try:
        parts = urlsplit(url)
        return parts.port != 0 and re.fullmatch(r"[a-z0-9._-]+|[0-9a-f.:]+", parts.hostname or "") is not None
    except ValueError:  # a port or an IPv6 address that is none
        return False

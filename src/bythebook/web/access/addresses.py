"""Whose request it is: the address a proxy vouches for, and what of it a limit looks at.

`X-Forwarded-For` can hold anything, since a client may send one too. Each proxy writes the address
it was called from at the end. So the list is read from its end, and only as far as the proxies are
our own: the first address that is not ours is the client's, and what stands before it is hearsay.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable, Sequence

from bythebook.errors import SettingsError

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Network = ipaddress.IPv4Network | ipaddress.IPv6Network

_SUBSCRIBER = 64  # bits of an IPv6 address that a provider gives to one customer as a whole


def parse_networks(texts: Iterable[str]) -> tuple[Network, ...]:
    """Return the networks of the setting `trusted_proxies`."""
    return tuple(_network(text) for text in texts)


def client_of(peer: str | None, forwarded: Iterable[str], trusted: Sequence[Network]) -> str | None:
    """Return the address of whoever asks, from the connection and the headers of our proxies."""
    address = _parse(peer or "")
    if address is None:
        return peer
    hops = [hop for line in forwarded for hop in line.split(",")]
    for hop in reversed(hops):
        if not _is_in(address, trusted):
            break
        before = _parse(hop)
        if before is None:
            break  # whoever wrote this is no proxy that can be believed
        address = before
    return str(address)


def limited_as(client: str | None) -> str:
    """Return the name under which a client is counted: IPv6 by the /64 a customer can use freely.

    All without an address are counted together.
    """
    address = _parse(client or "")
    if isinstance(address, ipaddress.IPv6Address):
        return str(ipaddress.ip_network((int(address), _SUBSCRIBER), strict=False))
    return str(address) if address else "nobody"


def _network(text: str) -> Network:
    try:
        return ipaddress.ip_network(text)
    except ValueError as problem:
        raise SettingsError(
            f"setting 'trusted_proxies' holds {text!r}, which is no network: {problem}",
            hint="write networks like 10.0.0.0/8, or single addresses",
        ) from problem


def _is_in(address: Address, networks: Sequence[Network]) -> bool:
    return any(address.version == network.version and address in network for network in networks)


def _parse(text: str) -> Address | None:
    """Return an address, as proxies write it: with or without brackets, port or zone."""
    text = text.strip().strip('"')
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    try:
        address = ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return None
    if isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped:
        return address.ipv4_mapped
    return address

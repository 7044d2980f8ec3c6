"""The system call filter as a classic BPF program; ``docs/adr/0003-seccomp-and-staging.md`` says why our own. Pure.

The shape is a list of refusals: known dangerous calls fail with EPERM, calls newer than the table with
ENOSYS, and four calls are judged by their arguments. Layout and constants: ``linux/filter.h``,
``linux/seccomp.h``, and seccomp(2).
"""

from __future__ import annotations

import errno
import struct
from typing import Final

from agent.errors import SandboxUnavailableError
from agent.sandbox.syscalls import ABSENT, AUDIT_ARCH, DENIED, FILTERED, NEWEST

_LOAD, _EQUAL, _GREATER, _ANY_BIT, _RETURN = 0x20, 0x15, 0x25, 0x45, 0x06  # BPF_LD|W|ABS, JEQ, JGT, JSET, RET
_NUMBER, _ARCH, _ARGUMENTS = 0, 4, 16  # offsets in struct seccomp_data; arguments are 64 bits wide
ALLOW: Final = 0x7FFF0000
KILL: Final = 0x80000000

_CLONE_NEW: Final = 0x7E020000  # NEWNS NEWCGROUP NEWUTS NEWIPC NEWUSER NEWPID NEWNET
_CLONE_NEWTIME: Final = 0x80  # the same bit is part of clone()'s exit signal, so only unshare() is asked
_AF_UNIX, _AF_INET, _AF_INET6, _AF_NETLINK = 1, 2, 10, 16
_INTERNET: Final = (0, 6, 17, 1, 58)  # any, TCP, UDP, ICMP and ICMPv6; not SCTP, MPTCP, L2TP, ...
_NETLINK_ROUTE: Final = (
    0,
)  # getifaddrs() and os.networkInterfaces() ask it; changing anything needs a capability
_TERMINAL: Final = (0x5412, 0x541C, 0x5423)  # TIOCSTI, TIOCLINUX, TIOCSETD

Instruction = tuple[int, int, int, int]


def program(machine: str) -> bytes:
    """Return the filter for ``machine`` (``uname -m``) as ``struct sock_filter[]``."""
    return b"".join(struct.pack("=HBBI", *instruction) for instruction in instructions(machine))


def instructions(machine: str) -> list[Instruction]:
    """Return the filter as (code, jump if true, jump if false, operand)."""
    if machine not in AUDIT_ARCH:
        raise SandboxUnavailableError(
            f"no system call filter is written for {machine}", "Use a container engine: backend = container"
        )
    column = tuple(AUDIT_ARCH).index(machine)
    code = [_load(_ARCH), (_EQUAL, 1, 0, AUDIT_ARCH[machine]), _return(KILL), _load(_NUMBER)]
    code += [(_GREATER, 0, 1, NEWEST), _return(refusal(errno.ENOSYS))]  # also every x32 number
    for numbers in ABSENT.values():
        code += _when(numbers[column], [_return(refusal(errno.ENOSYS))])
    for name, numbers in FILTERED.items():
        code += _when(numbers[column], _JUDGED[name])
    for denied in DENIED.values():
        number = denied[column]
        code += [] if number is None else _when(number, [_return(refusal(errno.EPERM))])
    return [*code, _return(ALLOW)]


def refusal(number: int) -> int:
    """Return the filter's verdict "fail with this errno"."""
    return 0x00050000 | number


def _load(offset: int) -> Instruction:
    return (_LOAD, 0, 0, offset)


def _argument(index: int) -> Instruction:
    """Load the low half of an argument: the judged ones are ``int`` or flags below 32 bits."""
    return _load(_ARGUMENTS + 8 * index)


def _return(verdict: int) -> Instruction:
    return (_RETURN, 0, 0, verdict)


def _when(value: int, block: list[Instruction]) -> list[Instruction]:
    """Run ``block``, which must return, when what was loaded equals ``value``."""
    return [(_EQUAL, 0, len(block), value), *block]


def _one_of(values: tuple[int, ...], yes: int, no: int) -> list[Instruction]:
    """Return ``yes`` when what was loaded is among ``values``, else ``no``."""
    tests = [(_EQUAL, len(values) - at, 0, value) for at, value in enumerate(values)]
    return [*tests, _return(no), _return(yes)]


def _no_bits(mask: int) -> list[Instruction]:
    return [_argument(0), (_ANY_BIT, 0, 1, mask), _return(refusal(errno.EPERM)), _return(ALLOW)]


def _socket() -> list[Instruction]:
    unsupported = refusal(errno.EPROTONOSUPPORT)
    route = [_argument(2), *_one_of(_NETLINK_ROUTE, ALLOW, unsupported)]
    internet = [_argument(2), *_one_of(_INTERNET, ALLOW, unsupported)]
    return [
        _argument(0),
        *_when(_AF_UNIX, [_return(ALLOW)]),
        *_when(_AF_NETLINK, route),
        *_when(_AF_INET, internet),
        *_when(_AF_INET6, internet),
        _return(refusal(errno.EAFNOSUPPORT)),
    ]


_JUDGED: Final = {
    "clone": _no_bits(_CLONE_NEW),
    "unshare": _no_bits(_CLONE_NEW | _CLONE_NEWTIME),
    "socket": _socket(),
    "ioctl": [_argument(1), *_one_of(_TERMINAL, refusal(errno.EPERM), ALLOW)],
}

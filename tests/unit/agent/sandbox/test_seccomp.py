"""The filter, run by a small interpreter of classic BPF for both architectures, and against libseccomp."""

from __future__ import annotations

import ctypes
import ctypes.util
import errno
import struct

import pytest

from agent.errors import SandboxUnavailableError
from agent.sandbox.seccomp import ALLOW, KILL, instructions, program, refusal
from agent.sandbox.syscalls import ABSENT, AUDIT_ARCH, DENIED, FILTERED, NEWEST

MACHINES = ["x86_64", "aarch64"]
MOST_INSTRUCTIONS = 4096  # BPF_MAXINSNS


def verdict(machine: str, number: int, *arguments: int, arch: int | None = None) -> int:
    """Return what the filter of ``machine`` says to a call."""
    padded = [*arguments, *[0] * (6 - len(arguments))]
    call = struct.pack("<IIQ6Q", number, AUDIT_ARCH[machine] if arch is None else arch, 0, *padded)
    code, loaded, at = instructions(machine), 0, 0
    while True:
        kind, yes, no, operand = code[at]
        at += 1
        if kind == 0x20:
            loaded = struct.unpack_from("<I", call, operand)[0]
        elif kind == 0x06:
            return operand
        else:
            held = {0x15: loaded == operand, 0x25: loaded > operand, 0x45: bool(loaded & operand)}[kind]
            at += yes if held else no


def number_of(machine: str, name: str) -> int:
    number = {**DENIED, **ABSENT, **FILTERED}[name][MACHINES.index(machine)]
    assert number is not None
    return number


@pytest.mark.parametrize("machine", MACHINES)
class TestVerdicts:
    def test_ordinary_calls_are_allowed(self, machine: str) -> None:
        ordinary = {"x86_64": (0, 1, 9, 59, 202, 257, 332), "aarch64": (56, 63, 64, 222, 221, 98, 291)}[
            machine
        ]
        assert {verdict(machine, number) for number in ordinary} == {ALLOW}

    def test_every_denied_call_fails_with_eperm(self, machine: str) -> None:
        numbers = [
            number_of(machine, name) for name in DENIED if DENIED[name][MACHINES.index(machine)] is not None
        ]
        assert {verdict(machine, number) for number in numbers} == {refusal(errno.EPERM)}

    def test_calls_to_fall_back_from_and_unknown_ones_are_absent(self, machine: str) -> None:
        numbers = [*(number_of(machine, name) for name in ABSENT), NEWEST + 1, 0x40000000 | 41, 0xFFFFFFFF]
        assert {verdict(machine, number) for number in numbers} == {refusal(errno.ENOSYS)}

    def test_another_architecture_is_killed(self, machine: str) -> None:
        assert {verdict(machine, 0, arch=arch) for arch in (0x40000003, 0x40000028, 0)} == {KILL}

    @pytest.mark.parametrize(
        ("family", "protocol", "expected"),
        [
            (1, 0, ALLOW),
            (2, 0, ALLOW),
            (2, 6, ALLOW),
            (10, 17, ALLOW),
            (10, 58, ALLOW),
            (16, 0, ALLOW),
            (16, 12, refusal(errno.EPROTONOSUPPORT)),
            (2, 262, refusal(errno.EPROTONOSUPPORT)),
            (10, 132, refusal(errno.EPROTONOSUPPORT)),
            (17, 0, refusal(errno.EAFNOSUPPORT)),
            (38, 0, refusal(errno.EAFNOSUPPORT)),
            (40, 0, refusal(errno.EAFNOSUPPORT)),
        ],
    )
    def test_sockets_are_judged_by_family_and_protocol(
        self, machine: str, family: int, protocol: int, expected: int
    ) -> None:
        socket = number_of(machine, "socket")
        assert verdict(machine, socket, family, 1, protocol) == expected
        assert verdict(machine, socket, family | 1 << 32, 1, protocol) == expected  # the kernel reads an int

    def test_namespaces_cannot_be_made_but_threads_and_processes_can(self, machine: str) -> None:
        clone, unshare = number_of(machine, "clone"), number_of(machine, "unshare")
        new = [1 << bit for bit in (17, 25, 26, 27, 28, 29, 30)]
        assert {verdict(machine, clone, flag | 17) for flag in new} == {refusal(errno.EPERM)}
        assert {verdict(machine, unshare, flag) for flag in (*new, 0x80)} == {refusal(errno.EPERM)}
        assert {
            verdict(machine, clone, 0x3D0F00),
            verdict(machine, clone, 17),
            verdict(machine, unshare, 0x400),
        } == {ALLOW}

    def test_terminal_injection_is_refused_and_other_requests_are_not(self, machine: str) -> None:
        ioctl = number_of(machine, "ioctl")
        seen = [verdict(machine, ioctl, 0, request) for request in (0x5412, 0x541C, 0x5423, 0x5401)]
        assert seen == [refusal(errno.EPERM)] * 3 + [ALLOW]

    def test_the_program_is_short_enough_and_packed_as_the_kernel_reads_it(self, machine: str) -> None:
        packed = program(machine)
        assert len(packed) == 8 * len(instructions(machine)) < 8 * MOST_INSTRUCTIONS
        assert struct.unpack_from("=HBBI", packed) == (0x20, 0, 0, 4)


def test_an_unknown_machine_is_refused_with_advice() -> None:
    with pytest.raises(SandboxUnavailableError, match=r"riscv64.*container"):
        program("riscv64")


@pytest.mark.skipif(ctypes.util.find_library("seccomp") is None, reason="libseccomp is not installed")
def test_the_numbers_are_those_of_libseccomp() -> None:
    """Every name resolves to our number; -1 means that an old libseccomp does not know the call."""
    library = ctypes.CDLL(ctypes.util.find_library("seccomp"))
    resolve = library.seccomp_syscall_resolve_name_arch
    for column, machine in enumerate(MACHINES):
        for name, numbers in {**DENIED, **ABSENT, **FILTERED}.items():
            resolved = resolve(ctypes.c_uint32(AUDIT_ARCH[machine]), name.encode())
            expected = numbers[column]
            assert resolved in {expected, -1} or (expected is None and resolved < 0), (
                machine,
                name,
            )

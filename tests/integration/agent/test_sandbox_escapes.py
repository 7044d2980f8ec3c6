"""What hostile code tries inside a sandbox, as root's and as an ordinary user's: each attempt must fail."""

from __future__ import annotations

import errno
import os
import secrets
import socket
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from agent.domain.execution import KillReason, Limits, Phase, SandboxCommand
from agent.sandbox import cgroups
from tests.integration.agent.conftest import SECRET, end, running

if TYPE_CHECKING:
    from tests.integration.agent.conftest import Attempts

pytestmark = pytest.mark.sandbox

SMALL = Limits(
    wall_seconds=20.0,
    memory_mb=256,
    processes=48,
    file_mb=32,
    disk_mb=64,
    output_bytes=10_000,
    cpu_seconds=20,
)


def together(attempts: Attempts) -> bool:
    """Whether this host limits memory for all processes of these sandboxes together."""
    group = cgroups.create(SMALL) if attempts.owner is None else cgroups.Cgroup()
    group.close()
    return group.memory is not None


class TestExhaustion:
    """The host keeps its processes, memory, disk and ears."""

    def test_a_fork_bomb_meets_its_limit_and_ends(self, attempts: Attempts) -> None:
        mark = secrets.token_hex(8)
        code = f"""
import os, sys, time
mark, made = {mark!r}, 0
try:
    while made < 2000:
        if os.fork() == 0:
            time.sleep(100)
            os._exit(0)
        made += 1
except BlockingIOError:
    print("refused", made)
"""
        seen = attempts.python(code, limits=SMALL)
        word, made = seen.stdout.split()
        assert (word, int(made) < SMALL.processes, running(mark)) == ("refused", True, [])

    def test_one_process_cannot_take_more_memory(self, attempts: Attempts) -> None:
        seen = attempts.python("x = b'x' * (400 << 20); print('taken')", limits=SMALL)
        assert (seen.exit_code == 0, "taken" in seen.stdout) == (False, False)

    def test_many_processes_cannot_take_more_memory_together(self, attempts: Attempts) -> None:
        code = """
import os, time
for _ in range(8):
    time.sleep(0.3)
    if os.fork() == 0:
        x = bytearray(os.urandom(1 << 20) * 100)
        os.write(1, b'taken\\n')
        time.sleep(5)
        os._exit(0)
failed = 0
while True:
    try: failed = failed or os.wait()[1]
    except ChildProcessError: break
os._exit(1 if failed else 0)
"""
        seen = attempts.python(code, limits=SMALL)
        taken = seen.stdout.count("taken")
        assert (taken < 8, seen.killed_by) == (True, KillReason.MEMORY)
        if together(attempts):  # the kernel counts; elsewhere the sum is watched, so a little more is seen
            assert taken < 3

    @pytest.mark.parametrize("folder", ["/work", "/tmp", "/home/suture", "/dev/shm"])
    def test_the_disk_is_a_private_one_of_fixed_size(self, attempts: Attempts, folder: str) -> None:
        code = f"""
import os
written, full = 0, False
for number in range(40):
    try:
        with open(f"{folder}/{{number}}", "wb", buffering=0) as file:
            for _ in range(10):
                written += file.write(b"x" * (1 << 20))
    except OSError as error:
        full = error.errno
        break
print(full, written >> 20)
"""
        seen = attempts.python(code, limits=SMALL)
        number, mebibytes = map(int, seen.stdout.split())
        assert (number, mebibytes <= SMALL.disk_mb) == (errno.ENOSPC, True)

    def test_a_file_cannot_outgrow_its_limit(self, attempts: Attempts) -> None:
        code = "head -c 40M /dev/zero >/work/big; stat -c %s /work/big"
        assert attempts.shell(code, limits=SMALL).stdout == f"{SMALL.file_mb << 20}\n"

    def test_a_flood_of_small_files_is_ended_by_the_memory_limit(self, attempts: Attempts) -> None:
        if not together(attempts):
            pytest.skip("no cgroup can be made here: the next test says what holds")
        code = """
import os
made = 0
try:
    while made < 400_000:
        os.close(os.open(f"/work/{made}", os.O_CREAT | os.O_WRONLY))
        made += 1
        if made % 10_000 == 0: print(made, flush=True)
except OSError: print("refused", flush=True)
"""
        seen = attempts.python(code, limits=SMALL)
        assert (seen.killed_by, "400000" in seen.stdout) == (KillReason.MEMORY, False)

    def test_no_folder_holds_more_inodes_than_half_the_machines_pages(self, attempts: Attempts) -> None:
        """Bubblewrap cannot set ``nr_inodes``; this kernel default is what holds without a cgroup."""
        pages = os.sysconf("SC_PHYS_PAGES")
        seen = attempts.shell("stat -f -c %c /work /tmp /home/suture /dev/shm", limits=SMALL)
        assert all(0 < int(inodes) <= pages // 2 + 1 for inodes in seen.stdout.split())

    def test_output_is_cut_in_the_middle(self, attempts: Attempts) -> None:
        code = "echo first; head -c 100000 /dev/zero | tr '\\0' x; echo; echo last"
        seen = attempts.shell(code, limits=SMALL)
        assert (seen.exit_code, seen.truncated, seen.killed_by) == (0, True, None)
        assert (seen.stdout[:6], seen.stdout[-5:], len(seen.stdout) < 10_100) == ("first\n", "last\n", True)

    def test_a_flood_of_output_is_ended(self, attempts: Attempts) -> None:
        seen = attempts.shell("yes", limits=SMALL)
        assert (seen.killed_by, seen.exit_code, len(seen.stdout) < 10_100) == (KillReason.OUTPUT, None, True)

    def test_time_ends_the_whole_tree(self, attempts: Attempts) -> None:
        mark = f"9{secrets.randbelow(10**9)}"
        limits = Limits(wall_seconds=1.0)
        seen = attempts.shell(f"setsid sleep {mark} & sleep {mark}", limits=limits)
        assert (seen.timed_out, seen.exit_code, seen.seconds < 3, running(mark)) == (True, None, True, [])

    def test_processor_time_ends_a_spinning_process(self, attempts: Attempts) -> None:
        seen = attempts.python("while True: pass", limits=Limits(wall_seconds=30.0, cpu_seconds=1))
        assert (seen.killed_by, seen.seconds < 20) == (KillReason.TIME, True)


class TestNetwork:
    """Nothing outside can be reached; a server inside can."""

    def test_a_server_on_the_hosts_loopback_is_out_of_reach(self, attempts: Attempts) -> None:
        with socket.create_server(("127.0.0.1", 0)) as server:
            port = server.getsockname()[1]
            code = f"import socket; print(socket.socket().connect_ex(('127.0.0.1', {port})))"
            assert attempts.python(code).stdout == f"{errno.ECONNREFUSED}\n"

    def test_an_install_has_the_network_and_the_same_walls_otherwise(self, attempts: Attempts) -> None:
        with socket.create_server(("127.0.0.1", 0)) as server:
            port = server.getsockname()[1]
            code = f"""
import os, socket
print(socket.socket().connect_ex(("127.0.0.1", {port})))
try: socket.socket(40, 1, 0); print("made")
except OSError as error: print(error.errno)
print(os.access("/etc/shadow", os.F_OK), os.access("/usr", os.W_OK), "SUTURE_TOKEN" in os.environ)
"""
            seen = attempts.python(code, phase=Phase.INSTALL)
        assert seen.stdout == f"0\n{errno.EAFNOSUPPORT}\nFalse False False\n"

    def test_an_abstract_socket_of_the_host_is_out_of_reach(self, attempts: Attempts) -> None:
        name = f"\0suture-{secrets.token_hex(8)}"
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(name)
            server.listen()
            code = f"import socket; print(socket.socket(socket.AF_UNIX).connect_ex({name!r}))"
            assert attempts.python(code).stdout == f"{errno.ECONNREFUSED}\n"

    @pytest.mark.parametrize(
        ("family", "kind", "protocol"),
        [(40, 1, 0), (17, 3, 0), (38, 5, 0), (16, 3, 12), (16, 3, 9), (2, 1, 262), (2, 5, 132), (30, 2, 0)],
        ids=["vsock", "packet", "alg", "netfilter", "audit", "mptcp", "sctp", "tipc"],
    )
    def test_other_sockets_cannot_be_made(
        self, attempts: Attempts, family: int, kind: int, protocol: int
    ) -> None:
        code = f"""
import socket
try: socket.socket({family}, {kind}, {protocol}); print("made")
except OSError as error: print(error.errno)
"""
        refused = int(attempts.python(code).stdout)
        assert refused in {errno.EAFNOSUPPORT, errno.EPROTONOSUPPORT}

    def test_names_are_not_resolved_and_addresses_not_routed(self, attempts: Attempts) -> None:
        code = """
import socket
try: socket.getaddrinfo("example.com", 443); print("resolved")
except socket.gaierror: print("unknown")
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
print(s.connect_ex(("192.0.2.1", 53)))
"""
        assert attempts.python(code).stdout == f"unknown\n{errno.ENETUNREACH}\n"

    def test_a_server_inside_can_be_reached_inside(self, attempts: Attempts) -> None:
        code = """
import socket
server = socket.create_server(("127.0.0.1", 0))
client = socket.create_connection(("localhost", server.getsockname()[1]), timeout=5)
server.accept()[0].sendall(b"hello")
print(client.recv(5).decode())
"""
        assert attempts.python(code).stdout == "hello\n"


class TestHost:
    """The host's files, settings, variables and processes are not there."""

    @pytest.mark.parametrize("path", ["/etc/shadow", "/root", "/srv", "/run", "/sys/kernel", "/boot"])
    def test_folders_of_the_host_are_absent(self, attempts: Attempts, path: str) -> None:
        assert attempts.shell(f"ls -d {path}").exit_code == 2

    def test_a_file_beside_the_tree_cannot_be_read(self, attempts: Attempts) -> None:
        beside = attempts.stage / f"secret-{secrets.token_hex(8)}"
        beside.write_text(SECRET)
        beside.chmod(0o644)
        seen = attempts.shell(f"cat {beside} /work/../{beside}; ls {attempts.stage}")
        assert SECRET not in seen.stdout

    def test_the_hosts_variables_are_absent(self, attempts: Attempts) -> None:
        seen = attempts.shell("env; cat /proc/*/environ")
        assert (SECRET in seen.stdout, "SUTURE_TOKEN" in seen.stdout) == (False, False)

    def test_only_the_sandboxs_processes_are_seen(self, attempts: Attempts) -> None:
        seen = attempts.shell("ls -d /proc/[0-9]* | wc -l; cat /proc/*/cmdline")
        assert (int(seen.stdout.split()[0]) < 8, "attempt.py" in seen.stdout) == (True, False)

    @pytest.mark.parametrize(
        "name", ["kernel/core_pattern", "vm/drop_caches", "kernel/hostname", "net/core/somaxconn"]
    )
    def test_kernel_settings_cannot_be_written(self, attempts: Attempts, name: str) -> None:
        seen = attempts.shell(f"(: >>/proc/sys/{name}) 2>/dev/null && echo open || echo denied")
        assert seen.stdout == "denied\n"

    @pytest.mark.parametrize("folder", ["/", "/usr", "/usr/bin", "/etc", "/dev", "/proc", "/home"])
    def test_the_system_cannot_be_written(self, attempts: Attempts, folder: str) -> None:
        seen = attempts.shell(f"(: >{folder}/new) 2>/dev/null && echo made || echo denied")
        assert seen.stdout == "denied\n"

    def test_a_read_only_mount_stays_so(self, attempts: Attempts) -> None:
        base = attempts.interpreter.parent.parent
        seen = attempts.shell(f"(: >{base}/new) 2>/dev/null && echo made || echo denied")
        assert (seen.stdout, (base / "new").exists()) == ("denied\n", False)

    def test_no_device_of_the_host_is_there_or_can_be_made(self, attempts: Attempts) -> None:
        seen = attempts.shell(
            "ls /dev/vda /dev/sda /dev/mem /dev/kmsg; mknod /work/disk b 254 0 && echo made"
        )
        assert seen.stdout == ""

    def test_no_process_outlives_its_command(self, attempts: Attempts) -> None:
        mark = f"8{secrets.randbelow(10**9)}"
        code = f"""
import os, sys
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        for fd in range(3): os.close(fd)
        os.execvp("sleep", ["sleep", "{mark}"])
    os._exit(0)
os.wait(); print("left")
"""
        seen = attempts.python(code)
        assert (seen.stdout, seen.exit_code, running(mark)) == ("left\n", 0, [])


class TestKernel:
    """The calls that widen rights are refused, and no right is held."""

    def test_no_capability_is_held_or_can_be_gained(self, attempts: Attempts) -> None:
        seen = attempts.shell("grep -E '^(Cap|NoNewPrivs|Seccomp:)' /proc/self/status | awk '{print $2}'")
        assert seen.stdout.split() == ["0" * 16] * 5 + ["1", "2"]

    def test_it_runs_as_no_user_of_the_host_who_owns_anything(self, attempts: Attempts) -> None:
        mark = f"5{secrets.randbelow(10**9)}"
        parent = attempts.hanging(SandboxCommand(argv=("sleep", mark)))
        pid = _wait_for(mark)
        status = Path(f"/proc/{pid}/status").read_text()
        end(parent)
        expected = 64017 if attempts.as_root else (attempts.owner.uid if attempts.owner else os.getuid())
        ids = dict(line.split(":", 1) for line in status.splitlines())
        assert (ids["Uid"].split(), expected != 0) == ([str(expected)] * 4, True)
        if attempts.as_root:
            assert (ids["Gid"].split(), ids["Groups"].split()) == (["64017"] * 4, [])

    @pytest.mark.parametrize("kind", ["Ur", "n", "m", "p", "i", "u", "C", "T"])
    def test_no_second_namespace_can_be_made(self, attempts: Attempts, kind: str) -> None:
        seen = attempts.shell(f"unshare -{kind} true 2>/dev/null && echo made || echo denied")
        assert seen.stdout == "denied\n"

    def test_clone3_is_absent_and_clone_into_namespaces_refused(self, attempts: Attempts) -> None:
        code = """
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
clone, clone3 = (56, 435) if os.uname().machine == "x86_64" else (220, 435)
for number, flags in ((clone3, 0), (clone, 0x10000000 | 17), (clone, 0x40000000 | 17)):
    result = libc.syscall(number, flags, 0, 0, 0, 0)
    if result == 0: os._exit(0)
    print(ctypes.get_errno() if result < 0 else "made")
"""
        assert attempts.shell("true").exit_code == 0
        seen = attempts.run(_with_ctypes(attempts, code))
        assert seen.stdout.split() == [str(errno.ENOSYS), str(errno.EPERM), str(errno.EPERM)]

    def test_dangerous_calls_are_refused(self, attempts: Attempts) -> None:
        code = """
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
x86 = os.uname().machine == "x86_64"
calls = dict(ptrace=(101, 117), process_vm_readv=(310, 270), process_vm_writev=(311, 271), mount=(165, 40),
    umount2=(166, 39), bpf=(321, 280), keyctl=(250, 219), add_key=(248, 217), perf_event_open=(298, 241),
    userfaultfd=(323, 282), setns=(308, 268), pivot_root=(155, 41), open_tree=(428, 428), fsopen=(430, 430),
    move_mount=(429, 429), chroot=(161, 51), open_by_handle_at=(304, 265), kexec_load=(246, 104))
for name, (first, second) in calls.items():
    if libc.syscall(first if x86 else second, 0, 0, 0, 0, 0, 0) != -1 or ctypes.get_errno() != 1: print(name)
for number in (425, 426, 427, 470, 9999):
    if libc.syscall(number, 1, 0, 0, 0, 0, 0) != -1 or ctypes.get_errno() != 38: print(number)
"""
        seen = attempts.run(_with_ctypes(attempts, code))
        assert (seen.stdout, seen.exit_code) == ("", 0)

    def test_a_sibling_cannot_be_traced(self, attempts: Attempts) -> None:
        code = """
import ctypes, os, time
child = os.fork()
if child == 0:
    time.sleep(5); os._exit(0)
libc = ctypes.CDLL(None, use_errno=True)
print(libc.ptrace(16, child, 0, 0), ctypes.get_errno())
os.kill(child, 9)
"""
        assert attempts.run(_with_ctypes(attempts, code)).stdout == f"-1 {errno.EPERM}\n"

    def test_keys_cannot_be_pushed_into_a_terminal(self, attempts: Attempts) -> None:
        code = """
import errno, fcntl, os, pty
_, terminal = pty.openpty()
try: fcntl.ioctl(terminal, 0x5412, b"x"); print("pushed")
except OSError as error: print(error.errno)
"""
        assert attempts.run(_with_ctypes(attempts, code)).stdout == f"{errno.EPERM}\n"


class TestTree:
    """The host's tree is copied, never changed, and what comes back is never followed."""

    def test_the_tree_is_a_copy_without_its_history(self, attempts: Attempts) -> None:
        tree = _tree(attempts)
        hook = tree / ".git" / "hooks" / "pre-commit"
        hook.parent.mkdir(parents=True)
        hook.write_text("#!/bin/sh\n")
        (tree / "module").mkdir()
        (tree / "module" / ".git").write_text("gitdir: ../.git/modules/module")
        code = "find . -name .git; echo x >kept; rm gone; mkdir -p .git/hooks; echo x >.git/hooks/y"
        seen = attempts.shell(code, tree=tree)
        assert (seen.stdout, seen.exit_code, hook.read_text()) == ("", 0, "#!/bin/sh\n")
        assert ((tree / "kept").read_text(), (tree / "gone").exists()) == ("kept\n", True)

    def test_a_private_tree_goes_in_without_being_opened_to_anybody(self, attempts: Attempts) -> None:
        tree = _tree(attempts)
        (tree / "kept").chmod(0o600)
        tree.chmod(0o700)
        if attempts.owner:
            for path in (tree, *tree.iterdir()):
                os.chown(path, attempts.owner.uid, attempts.owner.gid)
        seen = attempts.shell("cat kept; echo new >>kept; cat kept", tree=tree)
        modes = [path.stat().st_mode & 0o777 for path in (tree, tree / "kept")]
        assert (seen.stdout, modes) == ("kept\nkept\nnew\n", [0o700, 0o600])

    def test_a_link_left_behind_brings_back_nothing(self, attempts: Attempts) -> None:
        seen = attempts.shell(
            "ln -s /etc/passwd out; ln -s / all; mkfifo pipe; mkdir d; ln -s ../../etc d/up; echo ok >d/file",
            collect=("out", "all", "pipe", "d", "/etc/shadow"),
        )
        assert seen.collected == {"d/file": b"ok\n"}

    def test_a_forged_archive_brings_back_wanted_names_only(self, attempts: Attempts) -> None:
        seen = attempts.shell(
            "mkdir -p f; echo evil >f/evil; for d in /proc/[0-9]*/fd/*; do case $(readlink $d) in pipe*) "
            "[ ${d##*/} -gt 2 ] && tar -cPf $d --transform='s,^f,../../x,' f;; esac; done; echo fine >wanted",
            collect=("wanted",),
        )
        assert set(seen.collected) <= {"wanted"}

    def test_what_comes_back_is_limited_in_size(self, attempts: Attempts) -> None:
        limits = Limits(wall_seconds=20.0, collect_bytes=1_000_000)
        seen = attempts.shell(
            "echo small >a; head -c 5000000 /dev/zero >b", limits=limits, collect=("a", "b")
        )
        assert (seen.collected, seen.truncated, seen.exit_code) == ({"a": b"small\n"}, True, 0)

    def test_odd_names_links_and_kinds_come_in_as_they_are(self, attempts: Attempts) -> None:
        tree = _tree(attempts)
        (tree / "new\nline").write_text("odd")
        (tree / os.fsdecode(b"\xff\xfe")).write_text("bytes")
        (tree / "--help").write_text("dashes")
        (tree / "loop").symlink_to("loop")
        (tree / "up").symlink_to("/etc/shadow")
        os.mkfifo(tree / "fifo")
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(str(tree / "socket"))
        seen = attempts.shell(
            "cat 'new\nline'; cat ./--help; readlink loop up; test -e socket || echo none", tree=tree
        )
        assert (seen.stdout, seen.exit_code) == ("odddashesloop\n/etc/shadow\nnone\n", 0)

    def test_a_file_is_not_written_through_a_link_out_of_the_tree(self, attempts: Attempts) -> None:
        tree = _tree(attempts)
        (tree / "out").symlink_to("/tmp")
        with pytest.raises(AssertionError, match="a link on its way leaves the project"):
            attempts.shell("true", tree=tree, files={"out/evil": b"x"})


class TestEnd:
    """However Suture ends, nothing stays behind."""

    def test_cancelling_kills_the_tree_at_once(self, attempts: Attempts) -> None:
        mark = f"7{secrets.randbelow(10**9)}"
        command = SandboxCommand(argv=("sh", "-c", f"setsid sleep {mark} & sleep {mark}"))
        assert (attempts.cancelled(command) < 2.0, running(mark)) == (True, [])

    def test_the_sandbox_dies_with_its_parent(self, attempts: Attempts) -> None:
        mark = f"6{secrets.randbelow(10**9)}"
        command = SandboxCommand(argv=("sh", "-c", f"setsid sleep {mark} & sleep {mark}"))
        parent = attempts.hanging(command)
        _wait_for(mark)
        end(parent)
        assert running(mark) == []


def _with_ctypes(attempts: Attempts, code: str) -> SandboxCommand:
    return SandboxCommand(argv=(str(attempts.interpreter), "-c", code), limits=Limits(wall_seconds=30.0))


def _tree(attempts: Attempts) -> Path:
    tree = attempts.stage / f"tree-{secrets.token_hex(8)}"
    tree.mkdir()
    for name in ("kept", "gone"):
        (tree / name).write_text(f"{name}\n")
    return tree


def _wait_for(mark: str) -> int:
    """Return the process id, as the host sees it, of the ``sleep`` with ``mark`` once it runs."""
    words = f"sleep\0{mark}\0".encode()
    for _ in range(200):
        for file in Path("/proc").glob("[0-9]*/cmdline"):
            if _cmdline(file) == words:
                return int(file.parent.name)
        time.sleep(0.05)
    raise AssertionError(f"no sleep {mark} was started")


def _cmdline(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError:
        return b""

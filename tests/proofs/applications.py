"""What programs notice of egpu: nothing that disturbs them, whatever becomes of the service."""
import os
import signal
import statistics
import subprocess
import tempfile
import time

from observation import expect, expect_equal, fields_of, observe, read_report


def capture(machine, probe):
    """Graphs captured in global mode while egpu takes snapshots and drains rings as often as it can."""
    seconds = 2 if machine.emulated else 5
    seen = observe(machine, probe, machine.program("capture", seconds), None, interval=10)
    expect_equal(seen.field("failed"), "0", "captures that failed")
    snapshots = sum(instance["snapshots"] for instance in seen.report["instances"])
    expect(int(seen.field("captures")) >= 10 and snapshots >= 10, f"{seen.output}, {snapshots} snapshots: too few")
    expect(seen.launches() >= int(seen.field("launches")) > 0, "launches beside the captures")
    return f"{seen.field('captures')} captures, {seen.launches()} probed launches, {snapshots} snapshots"


def reads(machine):
    """A kernel that runs for a minute, and a program that reads its maps meanwhile, which grow and never shrink."""
    seconds = 3 if machine.emulated else float(os.environ.get("EGPU_KERNEL_SECONDS", 60))
    sms, threads, milliseconds = machine.sms[-1], machine.threads // 4, 50 if machine.emulated else 100
    waves = int(seconds * 1000 / milliseconds)
    # In the emulator a launch is a wave; on the GPU there is one launch of all waves, a block on each SM at a time.
    blocks, launches = (sms, waves) if machine.emulated else (sms * waves, 1)
    command = [os.path.join(os.path.dirname(machine.egpu), "map_reader"), *(["--emulate"] if machine.emulated else []),
               os.path.join(machine.probes, "count.bpf.o"), *machine.program("work", blocks, threads, launches, milliseconds * 1000)]
    start = time.monotonic()
    done = subprocess.run(command, capture_output=True, text=True, timeout=4 * seconds + 60)
    took = time.monotonic() - start
    expect_equal(done.returncode, 0, f"exit status ({done.stdout}{done.stderr})")
    fields = fields_of(done.stdout)
    launched = blocks * threads * launches
    expect_equal((int(fields["counted"]), int(fields["in_hash"]), fields["wrong"]), (launched, launched, "0"), "threads counted")
    least = 3 if machine.emulated else 4 * seconds
    for series in ("sum", "per_sm", "copy"):
        count, grew, shrank = (int(fields[f"{series}_{name}"]) for name in ("reads", "grew", "shrank"))
        expect(count >= least and grew >= least / 2 and shrank == 0, f"{series}: {count} reads, {grew} grew, {shrank} shrank")
    return f"{launched} threads in {launches} launches, {took:.0f} s; " + "; ".join(
        f"{series}: {fields[series + '_reads']} reads, {fields[series + '_grew']} found more, none less" for series in ("sum", "per_sm", "copy"))


def sanitizer(machine, tool, probe, blocks, threads):
    """Kernels with probes under compute-sanitizer."""
    # Errors of API calls are not asked for: the library looks for twins of all kernels of a module, and some have none.
    errors = ["--report-api-errors", "no"] if tool == "memcheck" else []
    program = ["compute-sanitizer", "--tool", tool, *errors, "--error-exitcode", "9", *machine.program("work", blocks, threads, 2)]
    seen = observe(machine, probe, program, None, timeout=300, warnings=1)
    expect("ERROR SUMMARY: 0 errors" in seen.output or "0 hazards displayed" in seen.output, seen.output)
    return f"{seen.launches()} probed launches of {blocks} blocks of {threads} threads"


def delay(machine):
    """How much longer the application waits for its context while egpu takes snapshots and drains rings."""
    seconds, turns = (5, 1) if machine.emulated else (2, 3)
    kinds = {"without egpu": None, "small maps": "count", "large maps": "owned_percpu_hash", "rings": "ring"}
    times = {kind: [] for kind in kinds}
    for _ in range(turns):
        for kind, probe in kinds.items():
            program = machine.program("delay", seconds)
            if probe is None:
                output = subprocess.run(program, env=machine.environment(), check=True, capture_output=True, text=True).stdout
            else:
                output = observe(machine, probe, program, None, interval=10).output
            times[kind].append(fields_of(output))
    lines = []
    longest = {}
    for kind, runs in times.items():
        for call in ("context", "device"):
            median, p999 = (statistics.median(float(run[f"{call}_{name}"]) for run in runs) for name in ("median", "p999"))
            longest[kind, call] = max(float(run[f"{call}_longest"]) for run in runs)
            calls = sum(int(run[f"{call}_calls"]) for run in runs)
            lines.append(f"{kind}, {call}: {calls} calls, median {median:.1f}, 99.9% {p999:.1f}, longest {longest[kind, call]:.1f} us")
    worst, kind, call = max((longest[kind, call] - longest["without egpu", call], kind, call)
                            for kind, call in longest if kind != "without egpu")
    numbers = f"longest delay {worst / 1000:.2f} ms ({kind}, {call})" + "".join("\n      " + line for line in lines)
    # Times of the emulator say nothing.
    expect(machine.emulated or worst <= 1000, f"more than 1 ms: {numbers}")
    return numbers


class Running:
    """A program that writes records, with its service, which something may happen to."""

    def __init__(self, machine, output):
        blocks, launches, microseconds = (8, 100, 10000) if machine.emulated else (132, 2000, 1000)
        self.launches = launches
        self.program = machine.program("work", blocks, 128, launches, microseconds)
        self.output = output
        self.service = subprocess.Popen(machine.observed("ring", self.program, output), stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, text=True)
        self.child = self.wait_for_records()

    def wait_for_records(self):
        until = time.monotonic() + 30
        while os.path.getsize(self.output) == 0:
            expect(time.monotonic() < until and self.service.poll() is None, "no record came")
            time.sleep(0.01)
        with open(f"/proc/{self.service.pid}/task/{self.service.pid}/children") as children:
            pids = children.read().split()
        expect(len(pids) == 1, f"children of the service: {pids}")
        return int(pids[0])

    def is_alive(self):
        try:
            with open(f"/proc/{self.child}/stat") as stat:
                return stat.read().rsplit(")", 1)[1].split()[0] not in "ZX"
        except FileNotFoundError:
            return False

    def wait_for_child(self, seconds):
        start = time.monotonic()
        while self.is_alive():
            if time.monotonic() - start > seconds:
                os.kill(self.child, signal.SIGKILL)
                expect(False, f"the program did not end within {seconds} s")
            time.sleep(0.01)
        return time.monotonic() - start


def dead_service(machine):
    """The service is killed while kernels write records: the program ends as if nothing had been."""
    with tempfile.NamedTemporaryFile() as output:
        running = Running(machine, output.name)
        running.service.kill()
        expect(running.is_alive(), "the program ended before its service was killed")
        seconds = running.wait_for_child(60)
        text = running.service.communicate()[0]
    fields = fields_of(text)
    expect_equal((fields.get("wrong"), fields.get("launches")), ("0", str(running.launches)), "results of the program")
    return f"{text.strip()}; it ran on for {seconds:.1f} s"


def stopped_service(machine):
    """The service reads nothing until the program has ended: what finds no room is counted, and nobody waits."""
    with tempfile.NamedTemporaryFile() as output:
        running = Running(machine, output.name)
        running.service.send_signal(signal.SIGSTOP)
        expect(running.is_alive(), "the program ended before its service was stopped")
        try:
            seconds = running.wait_for_child(60)
        finally:
            running.service.send_signal(signal.SIGCONT)
        text = running.service.communicate(timeout=60)[0]
        seen = read_report(output.name, text)
    expect_equal((seen.field("wrong"), seen.field("launches")), ("0", str(running.launches)), "results of the program")
    expect_equal(seen.launches(), running.launches, "probed launches")
    variables = seen.variables()
    missing = 0
    for name in ("events", "texts"):
        ring = seen.ring(name)
        expect_equal(ring["dropped"], variables[name + "_refused"], f"drops of {name}, as the report counts them")
        missing += variables[name + "_submitted"] - ring["records"]
    # The last ones may be left in their rings, which the report says.
    expect(missing == 0 or (missing > 0 and any("records" in warning for warning in seen.report["warnings"])),
           f"{missing} records are missing: {seen.report['warnings']}")
    dropped = variables["events_refused"] + variables["texts_refused"]
    expect(dropped > 0, "nothing was dropped: the service was not missed")
    return f"{len(seen.records)} records, {dropped} dropped, {missing} left in rings; the program ran on for {seconds:.1f} s"

"""Runs a program under egpu and gives what it left. Whatever should have been probed and was not is an error."""
import json
import os
import subprocess
import tempfile


class Failure(Exception):
    """A check that did not pass: what was expected and what came."""


def expect(condition, what):
    if not condition:
        raise Failure(what)


def expect_equal(found, expected, what):
    expect(found == expected, f"{what}: expected {expected}, got {found}")


def fields_of(output):
    """NAME=value of what a program printed."""
    return dict(word.split("=", 1) for word in output.split() if "=" in word)


class Machine:
    """Where the proofs run: a GPU, or the emulator on this machine."""

    def __init__(self, egpu, probes, programs):
        self.egpu = egpu
        self.probes = probes
        self.programs = programs
        self.emulated = bool(os.environ.get("EGPU_EMULATE"))
        # The emulator has 8 SMs, all of which one thread may run.
        self.sms = [1, 2, 8] if self.emulated else [1, 2, 8, 64, 132]
        self.threads = 256 if self.emulated else 1024
        self.most_blocks = 512 if self.emulated else 65536  # of a launch: 64 Mi threads

    def program(self, name, *arguments):
        return [os.path.join(self.programs, name), *map(str, arguments)]

    def observed(self, probe, program, output, interval=600000, settings=()):
        """The command that runs the program under a probe; with no snapshot before the end, unless one asks."""
        command = [self.egpu, "run", "--json", "-o", output, "--interval", str(interval)]
        if self.emulated:
            command.append("--emulate")
        for setting in settings:
            command += ["--set", setting]
        path = probe if probe.endswith(".bpf.o") else os.path.join(self.probes, probe + ".bpf.o")
        return [*command, path, "--", *program]

    def environment(self):
        """For programs that run without egpu."""
        if not self.emulated:
            return None
        emulator = os.path.join(os.path.dirname(self.egpu), "../lib/egpu/emulator")
        return {**os.environ, "LD_LIBRARY_PATH": emulator}


class Observation:
    """A program that has run under a probe."""

    def __init__(self, report, records, output):
        self.report = report
        self.records = records  # of rings, in the order in which they came
        self.output = output

    def field(self, name):
        fields = fields_of(self.output)
        expect(name in fields, f"the program printed no {name}: {self.output}")
        return fields[name]

    def map(self, name):
        return next(table for table in self.report["maps"] if table["name"] == name)

    def rows(self, name):
        return self.map(name)["rows"]

    def variables(self):
        return {row["variable"]: row["value"] for table in self.report["maps"] if table["name"] in (".bss", ".data")
                for row in table["rows"]}

    def ring(self, name):
        return next(ring for ring in self.report["rings"] if ring["name"] == name)

    def launches(self):
        return sum(instance["instrumented_launches"] for instance in self.report["instances"])

    def sms(self):
        return len(self.rows("blocks_of_sm"))


def read_report(path, output=""):
    with open(path) as lines:
        text = lines.read()
    # Records come before the report, a document a line.
    start = 0
    records = []
    while text.startswith('{"record"', start):
        end = text.index("\n", start)
        records.append(json.loads(text[start:end]))
        start = end + 1
    return Observation(json.loads(text[start:]), records, output)


def observe(machine, probe, program, launches, timeout=120, warnings=0, **options):
    """Runs it to its end. It must end well, with right results, and have launched probed kernels; `launches`, where given."""
    with tempfile.NamedTemporaryFile(suffix=".json") as output:
        done = subprocess.run(machine.observed(probe, program, output.name, **options), capture_output=True, text=True,
                              timeout=timeout)
        expect(done.returncode == 0, f"exit status {done.returncode}: {done.stdout}{done.stderr}")
        seen = read_report(output.name, done.stdout)
    expect(seen.launches() > 0 and launches in (None, seen.launches()),
           f"{launches or 'no'} probed launches expected, {seen.launches()} found: {seen.report['warnings']} {seen.report['notes']}")
    expect_equal(sum(instance["fallback_launches"] for instance in seen.report["instances"]), 0, "launches not probed")
    expect(len(seen.report["warnings"]) <= warnings, f"warnings: {seen.report['warnings']}")
    expect(seen.report["complete"], "the report is not complete")
    expect_equal(seen.field("wrong"), "0", "wrong results of the program")
    return seen

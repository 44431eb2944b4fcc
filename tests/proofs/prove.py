"""What maps and rings promise, shown on a GPU or, with EGPU_EMULATE=1, at small sizes in the emulator.

Usage: prove.py EGPU PROBES PROGRAMS [PART...]   (scripts/gpu/maps calls it)
"""
import subprocess
import sys
import time

import applications
import maps
import rings
from observation import Failure, Machine


class Proofs:
    """Runs checks one by one; a line for each with its numbers."""

    def __init__(self):
        self.passed = self.failed = 0

    def check(self, name, function, *arguments):
        start = time.monotonic()
        try:
            verdict, numbers = "PASS", function(*arguments)
        except (Failure, KeyError, StopIteration, ValueError) as failure:
            verdict, numbers = "FAIL", f"{type(failure).__name__}: {failure}"
        except subprocess.TimeoutExpired as late:
            verdict, numbers = "FAIL", f"no end after {late.timeout:.0f} s: {' '.join(late.cmd)}"
        self.passed += verdict == "PASS"
        self.failed += verdict == "FAIL"
        print(f"{verdict}  {name}: {numbers} ({time.monotonic() - start:.1f} s)", flush=True)


def prove_maps(proofs, machine):
    for kind in ("hash", "hash_12", "percpu_hash", "lru_hash", "array", "percpu_array"):
        for sms in machine.sms:
            proofs.check(f"model {kind}, {sms} blocks", maps.owned, machine, kind, sms)
    for kind in ("hash", "hash_12", "percpu_hash", "lru_hash"):
        for sms in machine.sms:
            proofs.check(f"churn {kind}, {sms} blocks", maps.churn, machine, kind, sms)
    for kind in ("queue", "stack"):
        for sms in machine.sms:
            proofs.check(f"{kind}, {sms} blocks", maps.queue, machine, kind, sms)
    for keys in (1024, 65536):
        for blocks in [*machine.sms, machine.most_blocks]:
            proofs.check(f"sums, {blocks} blocks", maps.sums, machine, keys, blocks)
    proofs.check("limits", maps.limits, machine)
    for blocks in machine.sms:
        proofs.check(f"full and out of range, {blocks} blocks", maps.full, machine, blocks)


def prove_rings(proofs, machine):
    for blocks in machine.sms:
        proofs.check(f"ring, {blocks} blocks", rings.whole, machine, blocks, 8)
    proofs.check("ring, a record a warp", rings.whole, machine, machine.most_blocks, 1, 1, 1)


def prove_applications(proofs, machine):
    for probe in ("sums", "ring"):
        proofs.check(f"capture in global mode, {probe}", applications.capture, machine, probe)
    proofs.check("service killed while records come", applications.dead_service, machine)
    proofs.check("service stopped while records come", applications.stopped_service, machine)
    proofs.check("delay of synchronisation", applications.delay, machine)


def prove_reads(proofs, machine):
    proofs.check("reads while a kernel runs", applications.reads, machine)


def prove_sanitizer(proofs, machine):
    if machine.emulated:
        print("SKIP  sanitizer: compute-sanitizer needs a GPU")
        return
    for tool in ("memcheck", "racecheck"):
        for probe in ("sums", "owned_hash_12", "owned_percpu_hash", "churn_lru_hash", "owned_array", "queue", "stack", "ring", "limits"):
            proofs.check(f"compute-sanitizer {tool}, {probe}", applications.sanitizer, machine, tool, probe, 16, 128)


PARTS = {"maps": prove_maps, "rings": prove_rings, "applications": prove_applications, "reads": prove_reads,
         "sanitizer": prove_sanitizer}


def main():
    machine = Machine(*sys.argv[1:4])
    proofs = Proofs()
    start = time.monotonic()
    for part in sys.argv[4:] or PARTS:
        PARTS[part](proofs, machine)
    print(f"\n{proofs.passed} passed, {proofs.failed} failed, {time.monotonic() - start:.0f} s")
    return proofs.failed != 0 or proofs.passed == 0


sys.exit(main())

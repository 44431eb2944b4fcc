"""Records of rings while the kernels that write them run: none torn, lost or repeated, and drops counted."""
import struct

from observation import expect, expect_equal, observe

MASK = 0xffffffff


def mix(number):
    """As in common.bpf.h."""
    number ^= number >> 16
    number = number * 0x7feb352d & MASK
    number ^= number >> 15
    number = number * 0x846ca68b & MASK
    return number ^ number >> 16


def check_event(value):
    expect_equal(value["sum"], value["writer"] + value["attempt"] + value["launch"] + value["time"], f"sum of {value}")
    return value["launch"], value["writer"], value["attempt"]


def check_text(text):
    data = bytes.fromhex(text)
    words = struct.unpack(f"<{len(data) // 4}I", data)
    writer, attempt, launch, size = words[:4]
    expect_equal(len(data), size, f"bytes of record {text}")
    for i in range(4, len(words)):
        expect_equal(words[i], mix(writer ^ attempt << 24 & MASK ^ i), f"word {i} of record {text}")
    return launch, writer, attempt


def check_counts(seen, attempts):
    variables = seen.variables()
    expect_equal(variables["unexpected"], 0, "unexpected results")
    endings = ("events_submitted", "events_discarded", "events_refused", "texts_submitted", "texts_refused")
    expect_equal(sum(variables[name] for name in endings), attempts, "attempts, by their endings")
    for name, discarded in (("events", variables["events_discarded"]), ("texts", 0)):
        ring = seen.ring(name)
        expect_equal((ring["records"], ring["discarded"], ring["dropped"]),
                     (variables[name + "_submitted"], discarded, variables[name + "_refused"]),
                     f"records, discarded and dropped of {name}, as the report counts them")
    return variables


def whole(machine, blocks, launches, lanes=4, attempts=4, threads=None):
    """Every record once and whole; how many came before one that their writer wrote earlier is told."""
    threads = threads or machine.threads
    seen = observe(machine, "ring", machine.program("work", blocks, threads, launches), launches,
                   settings=[f"lanes={lanes}", f"attempts={attempts}"])
    variables = check_counts(seen, blocks * threads // 32 * lanes * attempts * launches)
    check = {"events": check_event, "texts": check_text}
    came = {"events": {}, "texts": {}}  # (launch, writer) to attempts
    for record in seen.records:
        launch, writer, attempt = check[record["record"]](record["value"])
        came[record["record"]].setdefault((launch, writer), []).append(attempt)
    overtaking = 0
    for name, writers in came.items():
        expect_equal(sum(map(len, writers.values())), variables[name + "_submitted"], f"records of {name}")
        for writer, order in writers.items():
            expect(len(set(order)) == len(order) and max(order) < attempts, f"attempts of {writer}: {order}")
            overtaking += sum(a > b for a, b in zip(order, order[1:]))
    return f"{variables['events_submitted']} + {variables['texts_submitted']} records, " \
           f"{variables['events_discarded']} discarded, {variables['events_refused']} + {variables['texts_refused']} dropped, " \
           f"{overtaking} out of order, on {seen.sms()} SMs"

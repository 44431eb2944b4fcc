"""Maps after random operations of many threads, against what a sequential map would hold."""
from observation import expect, expect_equal, observe

OWNERS_OF_WARP = 8  # as in owned.bpf.h
KEYS = 4
OWNED_STEPS = 16
STAYING = 64  # as in churn.bpf.h
QUEUE_STEPS = 4  # as in queue.bpf.h


def number_of(key):
    return key["number"] if isinstance(key, dict) else key


def entries_of(rows):
    """By key; each key is there once."""
    entries = {number_of(row["key"]): row["value"] for row in rows}
    expect_equal(len(rows), len(entries), "rows, and different keys in them")
    return entries


def expect_sms(machine, seen, blocks):
    """As many SMs as blocks: that is what a small grid is for."""
    expected = min(blocks, 8 if machine.emulated else 132)
    expect_equal(seen.sms(), expected, f"SMs that ran {blocks} blocks")
    return expected


def owned(machine, kind, blocks):
    launches = 4
    is_hash = "hash" in kind
    forgets = kind.startswith("percpu")
    seen = observe(machine, "owned_" + kind, machine.program("work", blocks, machine.threads, launches), launches)
    sms = expect_sms(machine, seen, blocks)
    variables = seen.variables()
    owners = blocks * machine.threads // 32 * OWNERS_OF_WARP
    expect_equal(variables["contradictions"], 0, "contradictions to the model")
    operations = owners * launches * (OWNED_STEPS + (KEYS if forgets else 0))
    if variables["busy"] == 0:
        expect_equal(variables["operations"], operations, "operations")
    if is_hash:
        expect_equal(seen.map("elements")["busy"], variables["busy"], "busy, as the report counts them")
        expect_equal(seen.map("elements")["full"], 0, "full")
    expected = {}
    for row in seen.rows("models"):
        model = row["value"]
        expect_equal(model["round"], launches, "rounds of an owner")
        for key in range(KEYS):
            if is_hash and model["present"] >> key & 1:
                expected[row["key"] * KEYS + key] = model["values"][key]
            elif not is_hash and model["values"][key] != 0:
                expected[row["key"] * KEYS + key] = model["values"][key]
    expect_equal(len(seen.rows("models")), owners, "owners")
    if kind != "percpu_array":  # other SMs hold what earlier launches left
        found = entries_of([row for row in seen.rows("elements") if is_hash or row["value"] != 0])
        expect(found == expected, f"{len(expected)} keys in the models, {len(found)} in the map, "
               f"{sum(found.get(key) != value for key, value in expected.items())} of them differ")
    return f"{variables['operations']} operations of {owners} owners on {sms} SMs, {variables['busy']} busy, " \
           f"{len(expected)} keys left"


def churn(machine, kind, blocks):
    launches = 4
    seen = observe(machine, "churn_" + kind, machine.program("work", blocks, machine.threads, launches), launches + 1)
    sms = expect_sms(machine, seen, blocks)
    variables = seen.variables()
    for name in ("unexpected", "lost", "repeated", "full"):
        expect_equal(variables[name], 0, name)
    expect_equal(variables["visits"], blocks * launches, "visits")
    expect_equal(seen.map("elements")["busy"], variables["busy"], "busy, as the report counts them")
    found = entries_of(seen.rows("elements"))
    added = deleted = 0
    for row in seen.rows("tallies"):
        tally = row["value"]
        added += tally["added"]
        deleted += tally["deleted"]
        expect_equal(tally["added"] - tally["deleted"], int(row["key"] in found),
                     f"key {row['key']}, added {tally['added']} times, deleted {tally['deleted']} times: there")
    expect(added - deleted == len(found) and set(range(STAYING)) <= set(found), "keys are missing")
    if kind != "percpu_hash":
        for key, value in found.items():
            expect_equal(value, (~key & 0xffffffff) << 32 | key, f"value of key {key}")
    return f"{variables['operations']} operations on {sms} SMs, {added} added, {deleted} deleted, " \
           f"{variables['busy']} busy; {variables['visits']} visits"


def sums(machine, keys, blocks, launches=2):
    threads = blocks * machine.threads
    seen = observe(machine, "sums", machine.program("work", blocks, machine.threads, launches), launches,
                   settings=[f"keys={keys}"])
    variables = seen.variables()
    total = threads * launches
    numbers = launches * (threads * (threads - 1) // 2)
    expect_equal((variables["threads"], variables["numbers"]), (total, numbers), "sums in variables")
    tables = {name: entries_of(seen.rows(name)) for name in ("array", "percpu_array", "hash", "percpu_hash", "lru_hash")}
    counted = sum(value["threads"] for table in tables.values() for value in table.values())
    expect_equal(counted + variables["missed"], 5 * total, "additions and those that found no room")
    if variables["missed"] == 0:
        for name, table in tables.items():
            expect_equal(sum(value["numbers"] for value in table.values()), numbers, f"sum in {name}")
            expect(table == tables["array"], f"{name} and array differ")
    for key, value in entries_of(seen.rows("fetching")).items():
        n = value["threads"]
        expect_equal(n, tables["array"][key]["threads"], f"fetching additions under key {key}")
        expect_equal(value["given"], n * (n - 1) // 2, f"sum of what {n} additions gave")
    return f"{total} threads on {seen.sms()} SMs, {len(tables['array'])} keys, six maps, {variables['missed']} missed"


def queue(machine, kind, blocks):
    launches = 8
    seen = observe(machine, kind, machine.program("work", blocks, machine.threads, launches), launches)
    sms = expect_sms(machine, seen, blocks)
    variables = seen.variables()
    elements = seen.map("elements")
    left = [row["value"] for row in elements["rows"]]
    expect_equal(variables["unexpected"], 0, "unexpected results")
    expect_equal(variables["pushes"] + variables["pops"], blocks * machine.threads // 32 * launches * QUEUE_STEPS, "attempts")
    expect_equal(variables["pushed"] + variables["popped"] + variables["empty"] + variables["full"] + variables["busy"],
                 variables["pushes"] + variables["pops"], "attempts and their results")
    expect_equal((elements["full"], elements["busy"]), (variables["full"], variables["busy"]),
                 "full and busy, as the report counts them")
    expect_equal(variables["pushed"] - variables["popped"], len(left), "values left")
    expect_equal(len(set(left)), len(left), "different values left")
    marks = {row["key"]: (row["value"]["pushed"], row["value"]["popped"]) for row in seen.rows("marks")}
    expect_equal(set(marks.values()) - {(1, 0), (1, 1)}, set(), "values pushed or popped more than once, or never pushed")
    expect_equal({value for value, mark in marks.items() if mark == (1, 0)}, set(left), "values that were not popped")
    return f"{variables['pushed']} pushed, {variables['popped']} popped, {variables['empty']} empty, {variables['full']} full, " \
           f"{variables['busy']} busy, on {sms} SMs"


def limits(machine):
    """What a single thread gets that asks for too much."""
    seen = observe(machine, "limits", machine.program("work", 1, 32, 1), 1)
    variables = seen.variables()
    checks = variables["checks"][:variables["done"]]
    expect_equal([check["got"] for check in checks], [check["expected"] for check in checks], "results")
    rings = {ring["name"]: (ring["records"], ring["dropped"]) for ring in seen.report["rings"]}
    expect_equal((rings["ring"], rings["events"]), ((1, 2), (1, 0)), "records and drops")
    expect_equal((seen.map("hash")["full"], seen.map("queue")["full"]), (1, 1), "full")
    expect(any("times" in str(record["value"]) for record in seen.records), "bpf_printk gave no line")
    return f"{len(checks)} results as expected"


def full(machine, blocks):
    launches = 1
    seen = observe(machine, "full", machine.program("work", blocks, machine.threads, launches), launches)
    variables = seen.variables()
    room = 100
    for name in ("hash", "percpu_hash", "lru_hash", "array", "ring"):
        result = variables["of_" + name]
        expect_equal(result["attempts"], blocks * machine.threads // 32 * 4 * launches, f"attempts at {name}")
        expect_equal(result["done"] + result["refused"] + result["busy"], result["attempts"],
                     f"attempts at {name}, by their results")
    for name in ("hash", "percpu_hash"):
        result, table = variables["of_" + name], seen.map(name)
        found = entries_of(table["rows"])
        expect_equal((table["full"], table["busy"]), (result["refused"], result["busy"]), f"full and busy of {name}")
        expect_equal((len(found), result["done"]), (min(room, result["attempts"]),) * 2, f"keys of {name}")
        expect(all(key == 3 * value for key, value in found.items()), f"values of {name}")
    result, found = variables["of_lru_hash"], entries_of(seen.rows("lru_hash"))
    expect_equal(result["refused"], 0, "refusals of an LRU")
    expect(len(found) <= room and all(key == 3 * value for key, value in found.items()), "keys of lru_hash")
    expect_equal(variables["of_array"]["refused"], variables["of_array"]["attempts"], "updates past the end of an array")
    expect_equal(variables["found_outside"], 0, "elements past the end of an array")
    expect_equal(variables["of_ring"]["refused"], variables["of_ring"]["attempts"], "records that are too large")
    expect_equal(seen.ring("ring")["dropped"], variables["of_ring"]["refused"], "drops, as the report counts them")
    expect_equal(len(seen.records), 0, "records")
    return f"{variables['of_hash']['attempts']} attempts each; hash {variables['of_hash']}, lru {variables['of_lru_hash']}"

#!/usr/bin/env python3
"""Whether a trace.json keeps to what viewers ask for (Perfetto's and Chrome's "JSON Object Format"), and to what
penstock says of its own: usage trace_validator.py FILE. Prints what is wrong, a line each; the exit code says whether
anything is.
"""
import bisect
import json
import pathlib
import sys

REQUIRED = {
    "M": {"pid": int, "tid": int, "name": str, "args": dict},
    "X": {"pid": int, "tid": int, "name": str, "cat": str, "ts": (int, float), "dur": (int, float), "args": dict},
    "C": {"pid": int, "name": str, "ts": (int, float), "args": dict},
    "s": {"pid": int, "tid": int, "name": str, "cat": str, "ts": (int, float), "id": int},
    "f": {"pid": int, "tid": int, "name": str, "cat": str, "ts": (int, float), "id": int, "bp": str},
}
METADATA = {"process_name": str, "thread_name": str, "process_sort_index": int, "thread_sort_index": int}


def ns(us):
    return round(us * 1000)


def check_event(event):
    phase = event.get("ph")
    if phase not in REQUIRED:
        yield f"phase {phase!r}"
        return
    for key, kind in REQUIRED[phase].items():
        value = event.get(key)
        if not isinstance(value, kind) or isinstance(value, bool):
            yield f"{key} of {phase} is {value!r}"
            return
    if phase != "M" and event["ts"] < 0:
        yield f"ts of {phase} is {event['ts']}"
    if phase == "X" and event["dur"] < 0:
        yield f"dur is {event['dur']}"
    if phase == "f" and event["bp"] != "e":
        yield f"bp is {event['bp']!r}"
    if phase == "C" and (not event["args"] or not all(type(value) in (int, float) for value in event["args"].values())):
        yield f"counter {event['name']} is {event['args']}"
    if phase == "M":
        kind = METADATA.get(event["name"])
        value = event["args"].get("sort_index" if kind is int else "name")
        if kind is None or type(value) is not kind:
            yield f"metadata {event['name']} is {event['args']}"
    elif not event["name"]:
        yield f"{phase} has no name"


class Rows:
    """The slices of each row, as the events have them."""

    def __init__(self, events):
        self.slices = {}
        for event in events:
            if event["ph"] == "X":
                begin = ns(event["ts"])
                self.slices.setdefault((event["pid"], event["tid"]), []).append((begin, begin + ns(event["dur"])))
        self.begins = {row: [begin for begin, _ in slices] for row, slices in self.slices.items()}

    def check(self):
        for row, slices in self.slices.items():
            for before, after in zip(slices, slices[1:]):
                if after < before:
                    yield f"row {row}: {after} stands after {before}"
                elif after[0] < before[1]:
                    yield f"row {row}: {after} overlaps {before}"

    def encloses(self, row, at):
        """Whether a slice of the row is under way then."""
        place = bisect.bisect_right(self.begins.get(row, []), at) - 1
        return place >= 0 and at < self.slices[row][place][1]


def check_names(events, rows):
    names = {}
    for event in events:
        if event["ph"] == "M":
            key = (event["name"], event["pid"], event["tid"] if event["name"].startswith("thread") else None)
            if key in names:
                yield f"{key} is named twice"
            names[key] = event
    for pid in {event["pid"] for event in events}:
        for name in ("process_name", "process_sort_index"):
            if (name, pid, None) not in names:
                yield f"rank {pid} has no {name}"
    for pid, tid in rows.slices:
        for name in ("thread_name", "thread_sort_index"):
            if (name, pid, tid) not in names:
                yield f"row {pid}/{tid} has no {name}"


def check_flows(events, rows):
    ends = {"s": {}, "f": {}}
    for event in events:
        if event["ph"] not in ends:
            continue
        key = (event["cat"], event["name"], event["id"])
        if key in ends[event["ph"]]:
            yield f"flow {key} has two ends {event['ph']}"
        ends[event["ph"]][key] = event
        if not rows.encloses((event["pid"], event["tid"]), ns(event["ts"])):
            yield f"end {event['ph']} of flow {key} is in no slice"
    if ends["s"].keys() != ends["f"].keys():
        yield f"flows with one end: {sorted(ends['s'].keys() ^ ends['f'].keys())[:3]}"
    for key in ends["s"].keys() & ends["f"].keys():
        if ends["s"][key]["ts"] > ends["f"][key]["ts"]:
            yield f"flow {key} goes back in time"


def problems(trace):
    """What is wrong with the parsed trace, a text each."""
    if not isinstance(trace, dict) or not isinstance(trace.get("traceEvents"), list):
        return ["no object with traceEvents"]
    events = trace["traceEvents"]
    found = [problem for event in events for problem in check_event(event)]
    if found:
        return found
    other = trace.get("otherData", {})
    for key, kind in {"job": str, "version": str, "complete_from_us": (int, float), "dropped": dict, "not_ended": list}.items():
        if not isinstance(other.get(key), kind):
            found.append(f"otherData has {key} {other.get(key)!r}")
    times = [ns(event["ts"]) for event in events if event["ph"] in ("X", "C")]
    if times and min(times) != 0:
        found.append(f"the earliest event is at {min(times)} ns, not at 0")
    rows = Rows(events)
    return [*found, *rows.check(), *check_names(events, rows), *check_flows(events, rows)]


def main(file):
    found = problems(json.loads(pathlib.Path(file).read_text(encoding="utf-8")))
    print("\n".join(found[:50]) if found else "nothing to report")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

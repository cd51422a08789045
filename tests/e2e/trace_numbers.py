#!/usr/bin/env python3
"""The report's numbers once more, from trace.json alone: usage trace_numbers.py TRACE_JSON REPORT_JSON. Written from what
report.json promises, not from how penstock counts. Prints what differs, a line each; the exit code says whether anything
does.
"""
import json
import math
import pathlib
import re
import sys

NETWORK = re.compile(r"network (in|out)( \d+)?$")
GPU = re.compile(r"GPU (\d+) queue \d+$")
CORE = re.compile(r"core \d+$")


def ns(us):
    return round(us * 1000)


def union(intervals):
    """What the intervals cover, in order and apart."""
    covered = []
    for begin, end in sorted(intervals):
        if covered and begin <= covered[-1][1]:
            covered[-1][1] = max(covered[-1][1], end)
        else:
            covered.append([begin, end])
    return covered


def length(intervals):
    return sum(end - begin for begin, end in intervals)


def common(one, other):
    """The length that both cover: what each covers, less what they cover together."""
    return length(one) + length(other) - length(union([tuple(each) for each in one + other]))


class Task:
    def __init__(self):
        self.kernel = None
        self.begin = math.inf
        self.end = -math.inf
        self.reads = []
        self.writes = []


class Trace:
    def __init__(self, document):
        self.from_ns = ns(document["otherData"]["complete_from_us"])
        self.row_names = {}
        self.slices = []
        for event in document["traceEvents"]:
            if event["ph"] == "M" and event["name"] == "thread_name":
                self.row_names[event["pid"], event["tid"]] = event["args"]["name"]
            if event["ph"] == "X":
                begin = ns(event["ts"])
                end = begin + ns(event["dur"])
                if end >= self.from_ns:
                    self.slices.append((max(begin, self.from_ns), end, event))

    def device_of(self, row):
        """"cpu", or the GPU's number; None for rows of the network."""
        name = self.row_names[row]
        if NETWORK.match(name):
            return None
        gpu = GPU.match(name)
        return int(gpu.group(1)) if gpu else 0

    def span(self):
        return max(end for _, end, _ in self.slices) - min(begin for begin, _, _ in self.slices) if self.slices else 0

    def tasks(self):
        tasks = {}
        for begin, end, event in self.slices:
            if event["cat"] != "task":
                continue
            args = event["args"]
            task = tasks.setdefault(args["task"], Task())
            task.kernel = args["kernel"]
            task.begin = min(task.begin, begin)
            task.end = max(task.end, end)
            task.reads += [(each["id"], each["version"]) for each in args.get("reads", [])]
            task.writes += [(each["id"], each["version"]) for each in args.get("writes", [])]
        return tasks

    def critical_path(self):
        """The numbers of the tasks of the longest chain."""
        tasks = self.tasks()
        makers = {version: number for number, task in tasks.items() for version in task.writes}
        longest = {}  # by task: (ns, tasks, minus the number of the task before, to prefer small ones)
        for number in sorted(tasks):
            task = tasks[number]
            before = max(((*longest[makers[version]][:2], -makers[version]) for version in task.reads
                          if version in makers and makers[version] < number), default=(0, 0, None))
            longest[number] = (before[0] + task.end - task.begin, before[1] + 1, before[2])
        chain = []
        at = max(longest, key=lambda number: (*longest[number][:2], -number), default=None)
        while at is not None:
            chain.append(at)
            at = -longest[at][2] if longest[at][2] is not None else None
        return [tasks[number] for number in chain]

    def numbers(self):
        span = self.span()
        busy = {}
        for row in self.row_names:
            device = self.device_of(row)
            if device is not None and (CORE.match(self.row_names[row]) or GPU.match(self.row_names[row])):
                lanes, time = busy.get((row[0], device), (0, 0))
                busy[row[0], device] = lanes + 1, time
        computing, moving = {}, {}
        transfers, transfer_bytes = 0, 0
        for begin, end, event in self.slices:
            row = event["pid"], event["tid"]
            if event["cat"] == "task":
                computing.setdefault(row[0], []).append((begin, end))
                lanes, time = busy[row[0], self.device_of(row)]
                busy[row[0], self.device_of(row)] = lanes, time + end - begin
            else:
                moving.setdefault(row[0], []).append((begin, end))
                if "from" in event["args"]:
                    transfers += 1
                    transfer_bytes += sum(each["bytes"] for each in event["args"].get("versions", []))
        compute = sum(length(each) for each in computing.values())
        moved = sum(length(union(each)) for each in moving.values())
        beside = sum(common(union(each), union(computing.get(rank, []))) for rank, each in moving.items())
        path = self.critical_path()
        return {
            "span_s": span * 1e-9,
            "compute_s": compute * 1e-9,
            "transfer_s": moved * 1e-9,
            "transfers": transfers,
            "transfer_bytes": transfer_bytes,
            "parallelism": compute / span if span else 0.0,
            "overlap": beside / moved if moved else None,
            "critical_path.s": sum(task.end - task.begin for task in path) * 1e-9,
            "critical_path.tasks": len(path),
            "kernels": {kernel: sum(task.end - task.begin for task in path if task.kernel == kernel) * 1e-9
                        for kernel in {task.kernel for task in path}},
            "busy": {key: time / (span * lanes) if span else 0.0 for key, (lanes, time) in busy.items()},
        }


def close(one, other):
    if one is None or other is None:
        return one is other
    return math.isclose(one, other, rel_tol=1e-6, abs_tol=2e-9)


def differences(document, reported):
    """Where the report's `trace` differs from what its trace.json says, a text each."""
    counted = Trace(document).numbers()
    said = {key: reported[key] for key in ("span_s", "compute_s", "transfer_s", "transfers", "transfer_bytes",
                                           "parallelism", "overlap")}
    said["critical_path.s"] = reported["critical_path"]["s"]
    said["critical_path.tasks"] = reported["critical_path"]["tasks"]
    for key, value in said.items():
        if not close(value, counted[key]):
            yield f"{key}: reported {value}, counted {counted[key]}"
    for share in reported["critical_path"]["kernels"]:
        if not close(share["s"], counted["kernels"].get(share["kernel"], 0.0)):
            yield f"critical path: reported {share}, counted {counted['kernels']}"
    for rank in reported["ranks"]:
        for place, device in enumerate(rank["devices"]):
            busy = counted["busy"].get((rank["rank"], place), 0.0)
            if not close(device["busy_share"], busy) or not close(device["idle_share"], 1.0 - busy):
                yield f"rank {rank['rank']}, device {place}: reported {device}, counted {busy}"
    dropped = sum(document["otherData"]["dropped"].values())
    if dropped != reported["dropped"]:
        yield f"dropped: reported {reported['dropped']}, counted {dropped}"


def main(trace, report):
    read = lambda file: json.loads(pathlib.Path(file).read_text(encoding="utf-8"))
    found = list(differences(read(trace), read(report)["trace"]))
    print("\n".join(found) if found else "nothing differs")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

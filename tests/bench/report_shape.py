"""The shape of what `penstock bench --json` prints: mistakes() lists what is wrong with a report (parsed JSON)."""

ROW_KEYS = {"bench", "case", "system", "workers", "metric", "value", "unit", "min", "max", "runs", "limit", "ratio",
            "regime"}
MACHINE_KEYS = {"cpu", "cores", "compiler", "blas", "date", "version", "load"}
UNITS = {"time": "s", "ns per task": "ns", "ns per event": "ns", "tasks/s": "tasks/s", "GFLOP/s": "GFLOP/s", "GB/s": "GB/s",
         "efficiency": "", "ratio": "", "bytes": "B"}
REGIMES = {"near", "far", "smt", "mixed"}


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def row_mistakes(row):
    if set(row) != ROW_KEYS:
        yield f"keys that are not those of a row: {sorted(set(row) ^ ROW_KEYS)}"
        return
    for key in ("bench", "case", "system", "metric", "unit"):
        if not isinstance(row[key], str):
            yield f"{key} is no text"
    for key in ("value", "min", "max"):
        if not is_number(row[key]):
            yield f"{key} is no number"
            return
    for key in ("limit", "ratio"):
        if row[key] is not None and not is_number(row[key]):
            yield f"{key} is neither a number nor null"
    for key in ("workers", "runs"):
        if type(row[key]) is not int or row[key] < 1:
            yield f"{key} is no count"
    if UNITS.get(row["metric"]) != row["unit"]:
        yield f"metric {row['metric']} in {row['unit']}"
    if not row["min"] <= row["value"] <= row["max"]:
        yield "the median is not between min and max"
    if row["regime"] not in REGIMES:
        yield f"regime {row['regime']}"
    if row["system"] != "penstock" and row["ratio"] is not None:
        yield "a rival has a ratio"


def mistakes(report):
    if not isinstance(report, dict) or set(report) != {"machine", "rows"}:
        yield "the report is not machine and rows"
        return
    if set(report["machine"]) != MACHINE_KEYS:
        yield f"machine has {sorted(report['machine'])}"
    if not report["rows"]:
        yield "there are no rows"
    for row in report["rows"]:
        for mistake in row_mistakes(row):
            yield f"{row.get('case')}, {row.get('system')}: {mistake}"
    places = [(row.get("bench"), row.get("case"), row.get("system"), row.get("workers")) for row in report["rows"]]
    if len(set(places)) != len(places):
        yield "two rows are of one case, system and number of workers"
    for case in {(row.get("case"), row.get("workers")) for row in report["rows"]}:
        systems = {row.get("system") for row in report["rows"] if (row.get("case"), row.get("workers")) == case}
        if "penstock" not in systems or len(systems) < 2:
            yield f"{case} lacks penstock or a rival: {sorted(map(str, systems))}"

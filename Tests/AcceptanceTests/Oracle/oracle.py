"""Says what the timelines of recorded telemetry and of calendar files must be, and compares what was written with it.

    oracle.py configurations status|events SOURCE…            JSON lines to publish
    oracle.py check status|events --at T --configurations FILE --files DIR SOURCE…

A SOURCE is a file of buses, or a calendar as ID=FILE. Nothing here shares code with Tideline. `check` prints what
differs and, last, a JSON summary; it ends with status 1 where anything differs.
"""

import argparse
import collections
import itertools
import json
import pathlib
import sys

import calendars
import rules
import telemetry

# Counters and origins, which depend on the order of arrival; what is drawn is compared.
LEFT_OUT = {"revision", "refreshCount", "sources"}
SHOWN_AT_MOST = 20


def read_sources(strategy, sources):
    return list(sources) if strategy == "status" else dict(source.split("=", 1) for source in sources)


def expected(arguments):
    at = rules.parse_instant(arguments.at)
    sources = read_sources(arguments.strategy, arguments.sources)
    if arguments.strategy == "status":
        module, known = telemetry, telemetry.read(sources)
    else:
        module, known = calendars, calendars.expand(sources, at)
    with open(arguments.configurations, encoding="utf-8") as lines:
        for line in lines:
            configuration = json.loads(line)
            yield configuration["configurationId"], module.timeline(configuration, known, at)


def differences(path, wanted, found):
    """Where two values differ, as lines."""
    if isinstance(wanted, dict) and isinstance(found, dict):
        for key in sorted(wanted.keys() | found.keys()):
            yield from differences(f"{path}.{key}", wanted.get(key), found.get(key))
    elif isinstance(wanted, list) and isinstance(found, list):
        for index, (one, other) in enumerate(itertools.zip_longest(wanted, found)):
            yield from differences(f"{path}[{index}]", one, other)
    elif path.endswith(".speed") and None not in (wanted, found):
        # The recording's unit is another one; a millionth of a km/h is no difference.
        if abs(wanted - found) > 1e-6:
            yield f"{path}: {found}, must be {wanted}"
    elif wanted != found or isinstance(wanted, bool) != isinstance(found, bool):
        yield f"{path}: {json.dumps(found)}, must be {json.dumps(wanted)}"


def order_problems(path, value, kind):
    order = rules.KEYS[kind]
    keys = list(value)
    if keys != sorted(keys, key=lambda key: order.index(key) if key in order else len(order)):
        yield f"{path}: keys are not in the order of the contract: {keys}"


def shape_problems(path, timeline):
    """The order of keys, and that a message for people stands beside each code."""
    yield from order_problems(path, timeline, "timeline")
    for index, entry in enumerate(timeline["entries"]):
        place = f"{path}.entries[{index}]"
        yield from order_problems(place, entry, "entry")
        for key in ("event", "next"):
            if key in entry:
                yield from order_problems(f"{place}.{key}", entry[key], "occurrence")
        if "vehicle" in entry:
            yield from order_problems(f"{place}.vehicle", entry["vehicle"], "vehicle")
        if ("messageCode" in entry) != ("message" in entry):
            yield f"{place}: message without messageCode, or the other way round"
        entry.pop("message", None)


def check(arguments):
    directory = pathlib.Path(arguments.files)
    unexpected = {file.name for file in directory.iterdir() if not file.name.startswith(".")}
    phases = collections.Counter()
    lines = []
    equal = different = 0
    for configuration, wanted in expected(arguments):
        unexpected.discard(configuration + ".json")
        file = directory / (configuration + ".json")
        if not file.exists():
            found_lines = [f"{configuration}: no file"]
        else:
            found = json.loads(file.read_bytes())
            phases.update(entry["phase"] for entry in found["entries"])
            found_lines = list(shape_problems(configuration, found))
            found = {key: value for key, value in found.items() if key not in LEFT_OUT}
            found_lines += differences(configuration, wanted, found)
        equal += not found_lines
        different += bool(found_lines)
        lines += found_lines
    lines += [f"{name}: a file that no configuration asks for" for name in sorted(unexpected)]
    for line in lines[:SHOWN_AT_MOST]:
        print(line)
    if len(lines) > SHOWN_AT_MOST:
        print(f"and {len(lines) - SHOWN_AT_MOST} more")
    print(json.dumps({"equal": equal, "different": different, "phases": dict(sorted(phases.items()))}))
    return 1 if lines or not equal else 0


def main():
    parser = argparse.ArgumentParser(prog="oracle", description=__doc__.splitlines()[0])
    verbs = parser.add_subparsers(dest="verb", required=True)
    for verb in ("configurations", "check"):
        options = verbs.add_parser(verb)
        options.add_argument("strategy", choices=["status", "events"])
        options.add_argument("sources", nargs="+")
        if verb == "check":
            options.add_argument("--at", required=True)
            options.add_argument("--configurations", required=True)
            options.add_argument("--files", required=True)
    arguments = parser.parse_args()
    if arguments.verb == "check":
        return check(arguments)
    module = telemetry if arguments.strategy == "status" else calendars
    for configuration in module.configurations(read_sources(arguments.strategy, arguments.sources)):
        print(json.dumps(configuration, ensure_ascii=False))
    return 0


if __name__ == "__main__":
    sys.exit(main())

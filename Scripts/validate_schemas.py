"""Judges the JSON Schemas of schemas/, the AsyncAPI document beside them, and records written by them."""

import argparse
import json
import pathlib
import sys

import jsonschema
import yaml

SCHEMAS = pathlib.Path(__file__).resolve().parent.parent / "schemas"
SUFFIX = ".schema.json"
ASYNCAPI = "asyncapi.yaml"
# On these, a record without value is a tombstone.
COMPACTED = {"calendar.events", "widget.configurations", "timelines", "timeline.positions"}


class Judge:
    """Counts what passes and names what fails."""

    def __init__(self):
        self.passed = 0
        self.failed = 0

    def judge(self, name, problems):
        problems = list(problems)
        if problems:
            self.failed += 1
        else:
            self.passed += 1
        for problem in problems:
            print(f"{name}: {problem}", file=sys.stderr)

    def close(self):
        print(f"{self.passed} passed, {self.failed} failed")
        return 1 if self.failed or not self.passed else 0


def topic_schemas():
    return {path.name.removesuffix(SUFFIX): json.loads(path.read_text()) for path in sorted(SCHEMAS.glob("*" + SUFFIX))}


def schema_problems(schema):
    if schema.get("$schema") != jsonschema.Draft202012Validator.META_SCHEMA["$id"]:
        yield "$schema is not draft 2020-12"
    for error in jsonschema.Draft202012Validator(jsonschema.Draft202012Validator.META_SCHEMA).iter_errors(schema):
        yield f"{error.json_path}: {error.message}"
    yield from reference_problems(schema, schema)


def references(node):
    """Every $ref below `node`; what examples hold is data."""
    if isinstance(node, dict):
        if isinstance(node.get("$ref"), str):
            yield node["$ref"]
        for key, child in node.items():
            if key not in ("examples", "default", "const", "enum"):
                yield from references(child)
    elif isinstance(node, list):
        for child in node:
            yield from references(child)


def reference_problems(node, document):
    for reference in references(node):
        file, _, pointer = reference.partition("#")
        target = document
        if file:
            path = SCHEMAS / file
            if not path.is_file():
                yield f"{reference}: no such file"
                continue
            target = yaml.safe_load(path.read_text())
        try:
            for part in pointer.split("/")[1:]:
                target = target[part.replace("~1", "/").replace("~0", "~")]
        except (KeyError, TypeError):
            yield f"{reference}: leads nowhere"


def asyncapi_problems(document, topics):
    if not str(document.get("asyncapi", "")).startswith("3."):
        yield "asyncapi is not 3"
    yield from reference_problems(document, document)
    addresses = {channel["address"] for channel in document["channels"].values()}
    for topic in sorted(topics - addresses):
        yield f"topic {topic} is no channel"
    used = {operation["channel"]["$ref"] for operation in document["operations"].values()}
    for name in document["channels"]:
        if f"#/channels/{name}" not in used:
            yield f"no operation uses channel {name}"


def validate_schemas():
    judge = Judge()
    schemas = topic_schemas()
    for topic, schema in schemas.items():
        judge.judge(topic + SUFFIX, schema_problems(schema))
    document = yaml.safe_load((SCHEMAS / ASYNCAPI).read_text())
    judge.judge(ASYNCAPI, asyncapi_problems(document, set(schemas)))
    return judge.close()


def record_problems(line, validators):
    record = json.loads(line)
    topic, value = record["topic"], record.get("value")
    if topic not in validators:
        yield f"topic {topic} has no schema"
    elif value is None:
        if topic not in COMPACTED:
            yield f"a tombstone on {topic}, which is not compacted"
    else:
        for error in validators[topic].iter_errors(value):
            best = jsonschema.exceptions.best_match([error])
            yield f"{topic} {best.json_path}: {best.message}"


def validate_records(file):
    checker = jsonschema.Draft202012Validator.FORMAT_CHECKER
    validators = {
        topic: jsonschema.Draft202012Validator(schema, format_checker=checker)
        for topic, schema in topic_schemas().items()
    }
    judge = Judge()
    with sys.stdin if file == "-" else open(file, encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                judge.judge(f"line {number}", record_problems(line, validators))
            except (ValueError, KeyError, TypeError) as error:
                judge.judge(f"line {number}", [f"not a record with topic and value: {error!r}"])
    return judge.close()


def main():
    parser = argparse.ArgumentParser(prog="validate-schemas", description=__doc__)
    parser.add_argument("--records", metavar="FILE", help='JSON lines {"topic": …, "value": …}; - is standard input')
    arguments = parser.parse_args()
    return validate_records(arguments.records) if arguments.records else validate_schemas()


if __name__ == "__main__":
    sys.exit(main())

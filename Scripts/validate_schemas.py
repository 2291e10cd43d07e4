"""Judges the JSON Schemas of schemas/, the AsyncAPI document beside them, and records written by them."""

import argparse
import copy
import json
import re
import sys

import jsonschema
import yaml

import openapi_problems
import schema_compatibility
from contract_schemas import ASYNCAPI, DATA, EXTENSIBLE, SCHEMAS, SUFFIX, Contract, is_output, releases

# Schemas of what is no topic's: a setting, and what is sent over HTTP.
OTHERS = {"kinds", "webhook", "push"}
PLANNED = "planned"
# In a message of AsyncAPI, what is for people.
WORDS = {"name", "title", "summary", "description", "tags", "externalDocs", "examples"}


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


# Schemas.


def schema_problems(name, schema, contract):
    if schema.get("$schema") != jsonschema.Draft202012Validator.META_SCHEMA["$id"]:
        yield "$schema is not draft 2020-12"
    if not re.fullmatch(f"urn:tideline:schema:{re.escape(name)}:[1-9][0-9]*", schema.get("$id", "")):
        yield "$id is not urn:tideline:schema:NAME:NUMBER"
    if schema.get("x-direction") not in ("input", "output"):
        yield "x-direction is neither input nor output"
    for error in jsonschema.Draft202012Validator(jsonschema.Draft202012Validator.META_SCHEMA).iter_errors(schema):
        yield f"{error.json_path}: {error.message}"
    yield from reference_problems(schema, schema, contract)
    yield from openness_problems(schema)
    yield from example_problems(name, schema, contract)


def openness_problems(schema):
    """What an output's schema must not say: that nothing can be added."""
    for node in nodes(schema):
        if is_output(schema) and node.get("additionalProperties") is False:
            yield "an output refuses further fields, so none could ever be added"
        if not is_output(schema) and EXTENSIBLE in node:
            yield f"{EXTENSIBLE} is for outputs"
        if EXTENSIBLE in node and "enum" in node:
            yield f"enum beside {EXTENSIBLE}"


def example_problems(name, schema, contract):
    examples = schema.get("examples", [])
    if not examples:
        yield "there is no example"
    for is_strict in (False, True):
        validator = contract.validators(is_strict)[name]
        for number, example in enumerate(examples, 1):
            for error in validator.iter_errors(example):
                best = jsonschema.exceptions.best_match([error])
                yield f"example {number}, {best.json_path}: {best.message}"


def nodes(node):
    """Every object of a schema; what examples hold is data."""
    if isinstance(node, dict):
        yield node
        for key, child in node.items():
            if key not in DATA:
                yield from nodes(child)
    elif isinstance(node, list):
        for child in node:
            yield from nodes(child)


def reference_problems(node, document, contract):
    documents = {schema["$id"]: schema for schema in contract.schemas.values() if "$id" in schema}
    for reference in (found["$ref"] for found in nodes(node) if isinstance(found.get("$ref"), str)):
        file, _, pointer = reference.partition("#")
        target = document
        if file in documents:
            target = documents[file]
        elif file:
            path = contract.folder / file
            if not path.is_file():
                yield f"{reference}: no such file"
                continue
            target = yaml.safe_load(path.read_text())
        try:
            for part in pointer.split("/")[1:]:
                target = target[part.replace("~1", "/").replace("~0", "~")]
        except (KeyError, TypeError):
            yield f"{reference}: leads nowhere"


def asyncapi_problems(contract):
    document = contract.asyncapi
    if not str(document.get("asyncapi", "")).startswith("3."):
        yield "asyncapi is not 3"
    yield from reference_problems(document, document, contract)
    for name in sorted(set(contract.schemas) - set(contract.topic_schemas()) - OTHERS):
        yield f"topic {name} is no channel"
    used = {operation["channel"]["$ref"] for operation in document["operations"].values()}
    for name in document["channels"]:
        if f"#/channels/{name}" not in used:
            yield f"no operation uses channel {name}"
    referred = {node["$ref"] for node in nodes(document) if isinstance(node.get("$ref"), str)}
    for name in sorted(set(contract.schemas) - {"kinds"}):
        if name + SUFFIX not in referred:
            yield f"no message has the schema {name}"
    for address, channel in contract.channels().items():
        is_planned = channel.get("x-status") == PLANNED
        if address in contract.schemas and is_planned != (contract.schemas[address].get("x-status") == PLANNED):
            yield f"{address}: the channel and its schema do not agree about what is planned"


def validate_schemas():
    judge = Judge()
    contract = Contract()
    for name, schema in contract.schemas.items():
        judge.judge(name + SUFFIX, schema_problems(name, schema, contract))
    judge.judge(ASYNCAPI, asyncapi_problems(contract))
    judge.judge(openapi_problems.DOCUMENT, openapi_problems.problems())
    for release in releases()[-1:]:
        judge.judge(f"since {release.name}", release_problems(Contract(release), contract))
    return judge.close()


# Releases.


def release_problems(old, new):
    """What breaks for who knew the contract of an earlier release."""
    for name, schema in old.schemas.items():
        if schema.get("x-status") == PLANNED:
            continue
        if name not in new.schemas:
            yield f"{name}: the schema is gone"
        elif schema["$id"] != new.schemas[name]["$id"]:
            # The number at the end says that it is another format; who knew the old one does not read it.
            if format_number(new.schemas[name]) <= format_number(schema):
                yield f"{name}: $id was {schema['$id']} and is {new.schemas[name]['$id']}"
        else:
            for problem in schema_compatibility.breaks(schema, new.schemas[name], schema["x-direction"]):
                yield f"{name} {problem}"
    yield from asyncapi_breaks(old.asyncapi, new.asyncapi)


def format_number(schema):
    return int(schema["$id"].rpartition(":")[2])


def asyncapi_breaks(old, new):
    yield from changes("", old, new, ("defaultContentType",))
    for name, channel in old["channels"].items():
        if channel.get("x-status") == PLANNED:
            continue
        now = new["channels"].get(name)
        if now is None:
            yield f"{ASYNCAPI}: channel {name} is gone"
            continue
        place = f"channel {name}"
        yield from changes(place, settled(channel), settled(now), ("address", "parameters", "bindings", "x-status"))
        for message, content in channel["messages"].items():
            if message not in now["messages"]:
                yield f"{ASYNCAPI}: {place} has no message {message} any more"
                continue
            before, after = found(content, old), found(now["messages"][message], new)
            # All but words: payload, headers, key, content type. What stands behind their references is compared below.
            keys = sorted((before.keys() | after.keys()) - WORDS)
            yield from changes(f"{place}, message {message}", before, after, keys)
        for message in now["messages"]:
            if message not in channel["messages"] and not is_only_read(name, new):
                yield f"{ASYNCAPI}: {place} has a message {message} that its readers don't know"
    for name, operation in old.get("operations", {}).items():
        if operation.get("x-status") != PLANNED:
            now = new.get("operations", {}).get(name, {})
            yield from changes(f"operation {name}", operation, now, ("action", "channel", "bindings", "x-status"))
    for name, schema in old["components"]["schemas"].items():
        now = new["components"]["schemas"].get(name, {})
        for problem in schema_compatibility.breaks(schema, now, schema_compatibility.OUTPUT):
            yield f"{ASYNCAPI}, {name} {problem}"


def changes(place, old, new, keys):
    """What differs, other than words."""
    for key in keys:
        if not schema_compatibility.same(old.get(key), new.get(key)):
            name = f"{place}: {key}" if place else key
            yield f"{ASYNCAPI}: {name} was {old.get(key)!r} and is {new.get(key)!r}"


def found(node, document):
    while "$ref" in node:
        target = document
        for part in node["$ref"].split("/")[1:]:
            target = target[part]
        node = target
    return node


def settled(channel):
    """The channel with that part of its bindings on which others rely: how much a broker keeps may change."""
    bindings = copy.deepcopy(channel.get("bindings", {}))
    kafka = bindings.get("kafka", {})
    for key in ("bindingVersion", "partitions", "replicas"):
        kafka.pop(key, None)
    for key in ("retention.ms", "retention.bytes", "delete.retention.ms", "max.message.bytes"):
        kafka.get("topicConfiguration", {}).pop(key, None)
    return {**channel, "bindings": bindings}


def is_only_read(channel, document):
    """Whether the program reads the channel and never writes it."""
    operations = document.get("operations", {}).values()
    actions = {one["action"] for one in operations if one["channel"] == {"$ref": f"#/channels/{channel}"}}
    return actions == {"receive"}


def judge_changes(file):
    judge = Judge()
    for number, line in lines_of(file):
        change = json.loads(line)
        if change["direction"] == "asyncapi":
            problems = asyncapi_breaks(change["old"], change["new"])
        else:
            problems = schema_compatibility.breaks(change["old"], change["new"], change["direction"])
        judge.judge(f"line {number}", problems)
    return judge.close()


# Records.


def record_problems(line, contract, validators):
    record = json.loads(line)
    topic, value = record["topic"], record.get("value")
    if topic not in validators:
        yield f"topic {topic} has no schema"
    elif value is None:
        if not contract.is_compacted(topic):
            yield f"a tombstone on {topic}, which is not compacted"
    else:
        for error in validators[topic].iter_errors(value):
            best = jsonschema.exceptions.best_match([error])
            yield f"{topic} {best.json_path}: {best.message}"


def validate_records(file, is_strict):
    contract = Contract()
    validators = contract.validators(is_strict)
    judge = Judge()
    for number, line in lines_of(file):
        try:
            judge.judge(f"line {number}", record_problems(line, contract, validators))
        except (ValueError, KeyError, TypeError) as error:
            judge.judge(f"line {number}", [f"not a record with topic and value: {error!r}"])
    return judge.close()


def lines_of(file):
    with sys.stdin if file == "-" else open(file, encoding="utf-8") as lines:
        yield from ((number, line) for number, line in enumerate(lines, 1) if line.strip())


def main():
    parser = argparse.ArgumentParser(prog="validate-schemas", description=__doc__)
    parser.add_argument("--records", metavar="FILE", help='JSON lines {"topic": …, "value": …}; - is standard input')
    parser.add_argument("--published", action="store_true", help="judge records as a consumer would")
    parser.add_argument("--changes", metavar="FILE", help='JSON lines {"direction": …, "old": …, "new": …}')
    arguments = parser.parse_args()
    if arguments.changes:
        return judge_changes(arguments.changes)
    if arguments.records:
        return validate_records(arguments.records, is_strict=not arguments.published)
    return validate_schemas()


if __name__ == "__main__":
    sys.exit(main())

"""The schemas of schemas/ or of a release: as they are published, and their strict copies.

A published schema of an output lets consumers live with what later releases add: objects may have further fields, and a
list of values that may grow stands as `x-extensible-enum`, which validators pass over. The strict copy allows what this
release writes and nothing else. It is derived, never written: every object of an output whose fields are named has no
others, and what may grow is an `enum`.
"""

import copy
import functools
import json
import pathlib
import re

import jsonschema
import referencing
import yaml
from referencing.jsonschema import DRAFT202012

SCHEMAS = pathlib.Path(__file__).resolve().parent.parent / "schemas"
RELEASES = SCHEMAS / "releases"
SUFFIX = ".schema.json"
ASYNCAPI = "asyncapi.yaml"
EXTENSIBLE = "x-extensible-enum"
# Where a schema stands in these, it is data.
DATA = ("examples", "default", "const", "enum", EXTENSIBLE)


class Contract:
    """The schemas of one folder, by name: a topic's is its topic."""

    def __init__(self, folder=SCHEMAS):
        self.folder = folder
        self.schemas = {
            path.name.removesuffix(SUFFIX): json.loads(path.read_text()) for path in sorted(folder.glob("*" + SUFFIX))
        }

    @functools.cached_property
    def asyncapi(self):
        return yaml.safe_load((self.folder / ASYNCAPI).read_text())

    def topic_schemas(self):
        """By topic, the schema of its records."""
        return {name: schema for name, schema in self.schemas.items() if name in self.channels()}

    def channels(self):
        """By address."""
        return {channel["address"]: channel for channel in self.asyncapi["channels"].values() if channel["address"]}

    def is_compacted(self, topic):
        """On a compacted topic a record without value is a tombstone."""
        kafka = self.channels().get(topic, {}).get("bindings", {}).get("kafka", {})
        return "compact" in kafka.get("topicConfiguration", {}).get("cleanup.policy", [])

    def headers(self):
        """By name, such as asyncapi/cloudEvent."""
        schemas = self.asyncapi["components"]["schemas"]
        return {f"asyncapi/{name}": {**schema, "x-direction": "output"} for name, schema in schemas.items()}

    def validators(self, is_strict):
        """By name, with formats checked."""
        published = {**self.schemas, **self.headers()}
        schemas = {name: strict(schema) if is_strict else schema for name, schema in published.items()}
        registry = referencing.Registry().with_resources(
            (schema.get("$id", name), referencing.Resource(schema, DRAFT202012)) for name, schema in schemas.items()
        )
        checker = jsonschema.Draft202012Validator.FORMAT_CHECKER
        return {
            name: jsonschema.Draft202012Validator(schema, registry=registry, format_checker=checker)
            for name, schema in schemas.items()
        }


def releases():
    """The folders of releases, oldest first."""
    found = [path for path in RELEASES.glob("*") if path.is_dir()]
    return sorted(found, key=lambda path: [int(number) for number in re.findall("[0-9]+", path.name)])


def is_output(schema):
    return schema.get("x-direction") == "output"


def strict(schema):
    """The strict copy of an output's schema; an input's as it is."""
    return _strict(copy.deepcopy(schema)) if is_output(schema) else schema


def _strict(node):
    if isinstance(node, list):
        return [_strict(child) for child in node]
    if not isinstance(node, dict):
        return node
    # A part of a schema that says no type, such as a `then`, adds to an object and does not list its fields.
    if node.get("type") == "object" and isinstance(node.get("properties"), dict):
        node.setdefault("additionalProperties", False)
    if EXTENSIBLE in node:
        node["enum"] = node[EXTENSIBLE]
    return {key: child if key in DATA else _strict(child) for key, child in node.items()}

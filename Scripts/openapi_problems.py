"""Judges schemas/openapi.json: its references, its examples, and whether it is of the topics' schemas of today."""

import json

import jsonschema

import bundle_openapi
import contract_schemas

DOCUMENT = "openapi.json"
# The metaschema of OpenAPI 3.1 takes any schema of this draft.
VALIDATOR = jsonschema.Draft202012Validator


def problems():
    text = (contract_schemas.SCHEMAS / DOCUMENT).read_text()
    if text != bundle_openapi.text(bundle_openapi.Bundle(contract_schemas.SCHEMAS).bundled()):
        yield f"{bundle_openapi.SOURCE} and the schemas make another one: 'make reference' writes it"
    document = json.loads(text)
    if not str(document.get("openapi", "")).startswith("3.1."):
        yield "openapi is not 3.1"
    components = document["components"]["schemas"]
    for name, schema in components.items():
        for error in VALIDATOR(VALIDATOR.META_SCHEMA).iter_errors(schema):
            yield f"{name}: {error.message}"
        if "." not in name and not schema.get("examples"):
            yield f"{name}: there is no example"
        for is_strict in (False, True):
            yield from (
                f"{name}: {problem}"
                for example in schema.get("examples", [])
                for problem in example_problems(example, {"$ref": f"#/components/schemas/{name}"}, components, is_strict)
            )
    yield from operation_problems(document, components)


def operation_problems(document, components):
    seen = set()
    for path, item in document["paths"].items():
        for method, operation in item.items():
            if method == "parameters":
                continue
            name = operation.get("operationId", f"{method} {path}")
            if name in seen:
                yield f"{name}: two operations have this id"
            seen.add(name)
            for media in operation.get("requestBody", {}).get("content", {}).values():
                for example in media.get("examples", {}).values():
                    for problem in example_problems(example["value"], media["schema"], components, False):
                        yield f"{name}: {problem}"


def example_problems(example, schema, components, is_strict):
    """The document's own components answer its references."""
    if is_strict:
        components = {name: contract_schemas.strict(component) for name, component in components.items()}
    validator = VALIDATOR(
        {**schema, "components": {"schemas": components}}, format_checker=VALIDATOR.FORMAT_CHECKER
    )
    for error in validator.iter_errors(example):
        best = jsonschema.exceptions.best_match([error])
        yield f"example, {best.json_path}: {best.message}"

"""Holds answers of the HTTP API to schemas/openapi.json, with strict copies of the schemas of answers.

Reads JSON lines of {method, target, status, headers: [[name, value]], body}; the body as text.
"""

import json
import re
import sys
import urllib.parse

import jsonschema

import contract_schemas


class Document:
    def __init__(self):
        self.text = json.loads((contract_schemas.SCHEMAS / "openapi.json").read_text())
        components = self.text["components"]["schemas"]
        self.strict = {
            "components": {"schemas": {name: contract_schemas.strict(schema) for name, schema in components.items()}}
        }
        self.checked = set()

    def path(self, target):
        """The template of a target; literal segments go before parameters."""
        path = target.partition("?")[0]
        found = []
        for template in self.text["paths"]:
            pattern = re.sub(r"\\\{[^/]+?\\\}", "[^/]+", re.escape(template))
            if re.fullmatch(pattern, path):
                found.append(template)
        return min(found, key=lambda template: template.count("{"), default=None)

    def resolved(self, node):
        while "$ref" in node:
            target = self.text
            for part in node["$ref"][2:].split("/"):
                target = target[part.replace("~1", "/")]
            node = target
        return node

    def problems(self, answer):
        template = self.path(answer["target"])
        if template is None or answer["method"].lower() not in self.text["paths"][template]:
            if answer["status"] not in (400, 404, 405):
                yield f"answers {answer['status']}, and is no operation"
            return
        operation = self.text["paths"][template][answer["method"].lower()]
        response = operation["responses"].get(str(answer["status"]))
        if response is None:
            yield f"the operation has no {answer['status']}"
            return
        self.checked.add((operation["operationId"], answer["status"]))
        response = self.resolved(response)
        headers = {name.lower(): value for name, value in answer["headers"]}
        for name, header in response.get("headers", {}).items():
            yield from self.header_problems(name, self.resolved(header), headers.get(name.lower()))
        yield from self.content_problems(response.get("content", {}), headers.get("content-type"), answer["body"])

    def header_problems(self, name, header, value):
        if value is None:
            if header.get("required"):
                yield f"the header {name} is missing"
            return
        value = int(value) if header["schema"].get("type") == "integer" else value
        for error in jsonschema.Draft202012Validator(header["schema"]).iter_errors(value):
            yield f"{name}: {error.message}"

    def content_problems(self, content, media_type, body):
        if not content:
            if body:
                yield "there is a body"
            return
        media_type = (media_type or "").partition(";")[0]
        if media_type not in content:
            yield f"the media type is {media_type}"
            return
        if not media_type.endswith("json"):
            return
        schema = {**content[media_type]["schema"], **self.strict}
        checker = jsonschema.Draft202012Validator.FORMAT_CHECKER
        validator = jsonschema.Draft202012Validator(schema, format_checker=checker)
        for error in validator.iter_errors(json.loads(body)):
            best = jsonschema.exceptions.best_match([error])
            yield f"{best.json_path}: {best.message}"


def main():
    document = Document()
    failed = 0
    for line in sys.stdin:
        answer = json.loads(line)
        for problem in document.problems(answer):
            failed += 1
            target = urllib.parse.unquote(answer["target"])
            print(f"{answer['method']} {target} {answer['status']}: {problem}\n  {answer['body'][:500]}", file=sys.stderr)
    print(f"{len(document.checked)} kinds of answers, {failed} problems")
    return 1 if failed or not document.checked else 0


if __name__ == "__main__":
    sys.exit(main())

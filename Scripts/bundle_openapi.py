"""Makes schemas/openapi.json of schemas/openapi.yaml: the same document with the schemas of topics inside.

Each schema file that is referred to becomes a component, named by its title; its definitions become components of their
own, `Timeline.entry`. So every reference stays within the document.
"""

import json
import re
import sys

import yaml

from contract_schemas import DATA, SCHEMAS, SUFFIX

SOURCE = "openapi.yaml"
FILE = re.compile(r"^([A-Za-z.]+)" + re.escape(SUFFIX) + r"(#/.*)?$")
URN = re.compile(r"^urn:tideline:schema:([A-Za-z.]+):[0-9]+(#/.*)?$")


class Bundle:
    def __init__(self, folder):
        self.folder = folder
        self.document = yaml.safe_load((folder / SOURCE).read_text())
        self.names = {}
        self.files = {}

    def bundled(self):
        document = self.moved(self.document, None)
        own = document["components"]["schemas"]
        for name in self.files:
            if name in own:
                raise SystemExit(f"two schemas would be named {name}")
        own.update(sorted(self.files.items()))
        return document

    def component(self, file):
        """The name of a schema file's component, which is made when it is first asked for."""
        if file not in self.names:
            schema = json.loads((self.folder / (file + SUFFIX)).read_text())
            name = "".join(word[0].upper() + word[1:] for word in schema["title"].split() if word.isalpha())
            # Named before it is made: schemas refer to each other.
            self.names[file] = name
            direction = {"x-direction": schema["x-direction"]}
            definitions = schema.pop("$defs", {})
            kept = {key: value for key, value in schema.items() if key not in ("$schema", "$id", "x-status")}
            self.files[name] = self.moved(kept, file)
            for key, value in definitions.items():
                self.files[f"{name}.{key}"] = {**direction, **self.moved(value, file)}
        return self.names[file]

    def moved(self, node, file):
        """The node with its references as they are within the document; `file` is the schema it stands in."""
        if isinstance(node, list):
            return [self.moved(child, file) for child in node]
        if not isinstance(node, dict):
            return node
        return {key: self.child(key, value, file) for key, value in node.items()}

    def child(self, key, value, file):
        # The examples of OpenAPI are by name and refer to nothing either.
        if key in DATA:
            return value
        if key == "$ref" and isinstance(value, str):
            return self.reference(value, file)
        return self.moved(value, file)

    def reference(self, text, file):
        match = FILE.match(text) or URN.match(text)
        if match:
            return self.pointer(match[1], (match[2] or "#")[1:])
        return self.pointer(file, text[1:]) if file else text

    def pointer(self, file, pointer):
        name = self.component(file)
        match = re.match("^/\\$defs/([^/]+)(.*)$", pointer)
        return f"#/components/schemas/{name}.{match[1]}{match[2]}" if match else f"#/components/schemas/{name}{pointer}"


def text(document):
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    sys.stdout.write(text(Bundle(SCHEMAS).bundled()))

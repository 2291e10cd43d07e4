"""What breaks in a schema for who knew an older one.

Who consumes an output relies on what the older schema says of every value; who produces an input relies on the values
that it takes. So an output's schema may only grow tighter, with fields, and with values of an x-extensible-enum, added;
an input's may only grow looser. Where this cannot be told, it counts as a break: better asked once too often.
"""

import json

from contract_schemas import DATA, EXTENSIBLE

OUTPUT, INPUT = "output", "input"
TYPES = {"null", "boolean", "object", "array", "number", "integer", "string"}
ANNOTATIONS = {"$schema", "$id", "$comment", "$defs", "title", "description", "examples", "deprecated"}
LOWER = ("minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties")
UPPER = ("maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties")
# Each is a constraint that is there, or is not, or is another one.
WHOLE = ("pattern", "format", "not", "dependentRequired", "propertyNames", "multipleOf", "contains", "uniqueItems")
# Compared one by one below. A difference in any other keyword is a break, for nobody can say what it does.
COMPARED = {
    "$ref", "type", "const", "enum", "properties", "required", "additionalProperties", "items", "anyOf", "oneOf",
    "allOf", "if", "then", "else", "default", *LOWER, *UPPER, *WHOLE,
}
# In these, keys are names and no keywords.
BY_NAME = {"properties", "patternProperties", "dependentSchemas", "$defs", "definitions"}
# Keywords that mean something only with those beside them: a reference's target and its siblings don't share a group.
GROUPS = (
    {"properties", "patternProperties", "additionalProperties", "unevaluatedProperties"}, {"if", "then", "else"},
    {"items", "prefixItems", "unevaluatedItems"}, {"contains", "minContains", "maxContains"},
)


def breaks(old, new, direction):
    """Every break as a text that begins with its place; none where who knew `old` can live with `new`."""
    found = list(Comparison(old, new, direction).compare(old, new, "$"))
    for key in ("x-direction", "x-status"):
        before, now = (schema.get(key) if isinstance(schema, dict) else None for schema in (old, new))
        # What was planned may come into force.
        if before != now and not (key == "x-status" and now is None):
            found.append(f"$: {key} was {before} and is {now}")
    return found


class Comparison:
    """Of two documents. `is_exact`: of the values alone; else an input may name further optional fields, which those
    who never knew them do not send."""

    def __init__(self, old, new, direction, is_exact=False):
        self.roots = (old, new)
        self.direction = direction
        self.is_exact = is_exact
        self.under_way = set()

    # What the two directions allow.

    def tighter(self, path, what):
        if self.direction == INPUT:
            yield f"{path}: {what}; what was taken so far is refused"

    def looser(self, path, what):
        if self.direction == OUTPUT:
            yield f"{path}: {what}; who relied on it meets something else"

    def is_fine(self, old, new):
        return not list(self.compare(old, new, ""))

    # One schema.

    def compare(self, old, new, path):
        old, new = resolved(old, self.roots[0]), resolved(new, self.roots[1])
        if same(old, new):
            # What stands behind equal references is compared where it stands, which may differ.
            if not has_reference(old) and not has_reference(new):
                return
        pair = (canonical(old), canonical(new))
        if pair in self.under_way:
            return
        self.under_way.add(pair)
        try:
            yield from self.parts(old, new, path)
        finally:
            self.under_way.discard(pair)

    def parts(self, old, new, path):
        if isinstance(old, bool) or isinstance(new, bool):
            yield from self.booleans(old, new, path)
            return
        yield from self.references(old, new, path)
        yield from self.types(old, new, path)
        yield from self.values(old, new, path)
        yield from self.bounds(old, new, path)
        yield from self.wholes(old, new, path)
        yield from self.fields(old, new, path)
        yield from self.elements(old, new, path)
        yield from self.branches(old, new, path)
        yield from self.constraints(old, new, path)
        yield from self.conditions(old, new, path)
        yield from self.others(old, new, path)
        if self.direction == INPUT and not same_data(old.get("default"), new.get("default")):
            yield f"{path}: the default was {old.get('default')!r} and is {new.get('default')!r}"

    def booleans(self, old, new, path):
        if old is False and new is not False:
            yield from self.looser(path, "was never there and may be")
        elif new is False and old is not False:
            yield f"{path}: is not allowed any more"
        elif old is True and new is not True:
            yield from self.tighter(path, "is limited now")
        elif new is True and old is not True:
            yield from self.looser(path, "is not limited any more")

    def references(self, old, new, path):
        if old.get("$ref") != new.get("$ref"):
            yield f"{path}: was by {old.get('$ref')} and is by {new.get('$ref')}"
        elif str(old.get("$ref", "")).startswith("#"):
            yield f"{path}: {old['$ref']} is no JSON pointer, so what it leads to is not compared"

    def others(self, old, new, path):
        """The keywords that are not known here; x-… are notes."""
        for key in sorted((old.keys() | new.keys()) - COMPARED - ANNOTATIONS):
            if not key.startswith("x-") and not self.is_same(key, old, new):
                yield f"{path}: {key} was {old.get(key)!r} and is {new.get(key)!r}; what that means is not known"

    def is_same(self, key, old, new):
        """Whether a keyword says the same in both, behind its references, too."""
        before, now = ({key: expanded(schema[key], root)} if key in schema else {}
                       for schema, root in zip((old, new), self.roots))
        return same(before, now)

    def types(self, old, new, path):
        before, now = allowed_types(old), allowed_types(new)
        if before - now:
            yield from self.tighter(path, f"may not be {words(before - now)} any more")
        if now - before:
            yield from self.looser(path, f"may be {words(now - before)}, too")

    def values(self, old, new, path):
        before, now = closed(old), closed(new)
        if self.direction == OUTPUT:
            known = closed(new) if closed(new) is not None else new.get(EXTENSIBLE)
            for value in before if before is not None else old.get(EXTENSIBLE, []):
                if known is None or not is_among(value, known):
                    yield f"{path}: value {value!r} is gone"
            if before is not None and now is None:
                yield f"{path}: further values may come"
            for value in now or []:
                if before is not None and not is_among(value, before):
                    yield f"{path}: value {value!r} came, and nobody was told that there may be others"
        elif now is not None:
            if before is None:
                yield f"{path}: only {words(now)} are taken"
            for value in before or []:
                if not is_among(value, now):
                    yield f"{path}: value {value!r} is not taken any more"

    def bounds(self, old, new, path):
        for keys, sign in ((LOWER, 1), (UPPER, -1)):
            for key in keys:
                before, now = old.get(key), new.get(key)
                if before == now:
                    continue
                is_tighter = before is None or (now is not None and sign * (now - before) > 0)
                change = f"{key} was {before} and is {now}"
                yield from self.tighter(path, change) if is_tighter else self.looser(path, change)

    def wholes(self, old, new, path):
        for key in WHOLE:
            before, now = old.get(key), new.get(key)
            if self.is_same(key, old, new):
                continue
            if before is not None:
                yield from self.looser(path, f"{key} was {before!r}")
            if now is not None:
                yield from self.tighter(path, f"{key} is {now!r}")

    # Objects and arrays.

    def fields(self, old, new, path):
        before, now = old.get("properties", {}), new.get("properties", {})
        for name, schema in before.items():
            if name not in now:
                yield f"{path}.{name}: the field is gone"
            else:
                yield from self.compare(schema, now[name], f"{path}.{name}")
        for name in now:
            if name not in before:
                yield from self.added_field(old, now[name], f"{path}.{name}")
        required, needed = set(old.get("required", [])), set(new.get("required", []))
        for name in sorted(required - needed):
            yield from self.looser(f"{path}.{name}", "was always there and may be missing")
        for name in sorted(needed - required):
            yield from self.tighter(f"{path}.{name}", "is required")
        others_before, others_now = (schema.get("additionalProperties", True) for schema in (old, new))
        if others_now is False and others_before is not False:
            yield from self.tighter(f"{path}.*", "further fields are refused")
        elif others_before is not others_now:
            yield from self.compare(others_before, others_now, f"{path}.*")

    def added_field(self, old, schema, path):
        """A field that the older schema does not name was one of its further fields."""
        others = old.get("additionalProperties", True)
        is_open = resolved(others, self.roots[0]) is True
        if self.direction == INPUT and "patternProperties" in old:
            yield f"{path}: the field came, and a pattern may have taken it as it was"
        elif self.direction == OUTPUT or self.is_exact or not is_open:
            if others is not False or self.direction == OUTPUT:
                yield from self.compare(others, schema, path)
        elif takes_nothing(schema, self.roots[1]):
            yield f"{path}: was passed over and is refused"

    def elements(self, old, new, path):
        if "items" in old or "items" in new:
            yield from self.compare(old.get("items", True), new.get("items", True), f"{path}[]")

    # Schemas of schemas.

    def branches(self, old, new, path):
        for key in ("anyOf", "oneOf"):
            before, now = old.get(key), new.get(key)
            if before is None and now is None:
                continue
            if before is not None and now is not None and key == "oneOf" and not self.counts_once(before, now):
                yield f"{path}: oneOf has other forms, which may overlap"
            elif before is None:
                yield from self.tighter(path, f"{key} came")
            elif now is None:
                yield from self.looser(path, f"{key} went")
            elif self.direction == OUTPUT:
                for index, branch in enumerate(now):
                    if not any(self.is_fine(one, branch) for one in before):
                        yield f"{path}: {key}/{index} is none of those that were there"
            else:
                for index, branch in enumerate(before):
                    if not any(self.is_fine(branch, one) for one in now):
                        yield f"{path}: {key}/{index} is not taken any more as it was"

    def counts_once(self, before, now):
        """Whether a value that has a form in one of both can't have two in the other, for which oneOf refuses it."""
        old, new = ([expanded(form, root) for form in forms] for forms, root in zip((before, now), self.roots))
        if sorted(canonical(plain(form)) for form in old) == sorted(canonical(plain(form)) for form in new):
            return True
        other = new if self.direction == INPUT else old
        return all(are_apart(one, another) for index, one in enumerate(other) for another in other[:index])

    def constraints(self, old, new, path):
        before, now = old.get("allOf", []), new.get("allOf", [])
        if self.direction == OUTPUT:
            for index, constraint in enumerate(before):
                if not any(self.is_fine(constraint, one) for one in now):
                    yield f"{path}: allOf/{index} does not hold any more"
        else:
            for index, constraint in enumerate(now):
                if not any(self.is_fine(one, constraint) for one in before):
                    yield f"{path}: allOf/{index} is a new limit"

    def conditions(self, old, new, path):
        if "if" not in old and "if" not in new:
            return
        if "if" not in old:
            yield from self.tighter(path, "a condition came")
            return
        if "if" not in new:
            yield from self.looser(path, "a condition went")
            return
        holds_more, holds_less = self.is_wider(old["if"], new["if"]), self.is_narrower(old["if"], new["if"])
        if not (holds_more and holds_less):
            if "else" in old or "else" in new or not (holds_more or holds_less):
                yield f"{path}: the condition is another one"
            elif holds_more:
                yield from self.tighter(path, "the condition holds more often")
            else:
                yield from self.looser(path, "the condition holds less often")
        for key in ("then", "else"):
            yield from self.compare(old.get(key, True), new.get(key, True), path)

    def is_wider(self, old, new):
        """Every value of `old` is one of `new`."""
        return not list(Comparison(*self.roots, INPUT, is_exact=True).compare(old, new, ""))

    def is_narrower(self, old, new):
        return not list(Comparison(*reversed(self.roots), INPUT, is_exact=True).compare(new, old, ""))


def resolved(schema, root):
    """A reference within the document replaced by what it leads to; one to another document stays."""
    while isinstance(schema, dict) and is_local(schema.get("$ref")):
        target = root
        for part in schema["$ref"].split("/")[1:]:
            target = target[part.replace("~1", "/").replace("~0", "~")]
        schema = both(target, {key: value for key, value in schema.items() if key != "$ref"})
    return schema


def is_local(reference):
    return isinstance(reference, str) and (reference == "#" or reference.startswith("#/"))


def both(target, beside):
    """What holds where a reference stands with other keywords beside it: the target and they."""
    if target is False or not plain(beside):
        return target if isinstance(target, bool) else {**target, **beside}
    if target is True:
        return beside
    here, there = plain(target).keys(), plain(beside).keys()
    shared = (here & there) - {"required", "allOf", "default"}
    if shared or any(group & here and group & there for group in GROUPS):
        return {"allOf": [target, beside], **{key: beside[key] for key in ("default",) if key in beside}}
    merged = {**target, **beside}
    for key in ("required", "allOf"):
        if key in here and key in there:
            merged[key] = target[key] + beside[key]
    return merged


def expanded(schema, root, under_way=(), is_by_name=False):
    """With all references of the document replaced; one that leads back to itself stays."""
    if isinstance(schema, list):
        return [expanded(child, root, under_way) for child in schema]
    if not isinstance(schema, dict):
        return schema
    if not is_by_name and is_local(schema.get("$ref")):
        if schema["$ref"] in under_way:
            return schema
        under_way = (*under_way, schema["$ref"])
        beside = {key: value for key, value in schema.items() if key != "$ref"}
        return expanded(both(resolved({"$ref": schema["$ref"]}, root), beside), root, under_way)
    return {
        key: child if key in DATA and not is_by_name
        else expanded(child, root, under_way, key in BY_NAME and not is_by_name)
        for key, child in schema.items()
    }


def are_apart(one, other):
    """Whether it is plain that no value is of both: by type, by values, or by those of a field that both require."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is False or other is False
    if not allowed_types(one) & allowed_types(other):
        return True
    values, others = closed(one), closed(other)
    if values is not None and others is not None:
        return not any(is_among(value, others) for value in values)
    if one.get("type") != "object" or other.get("type") != "object":
        return False
    shared = set.intersection(*(set(form.get(key, ())) for form in (one, other) for key in ("properties", "required")))
    return any(are_apart(one["properties"][name], other["properties"][name]) for name in shared)


def takes_nothing(schema, root):
    schema = resolved(schema, root)
    if isinstance(schema, bool):
        return not schema
    return (
        schema.get("enum") == [] or schema.get("type") == [] or plain(schema.get("not")) in (True, {})
        or any(takes_nothing(part, root) for part in schema.get("allOf", []))
        or any(all(takes_nothing(part, root) for part in schema[key]) for key in ("anyOf", "oneOf") if key in schema)
    )


def plain(schema, is_by_name=False):
    """Without what changes nothing."""
    if isinstance(schema, list):
        return [plain(child) for child in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: value if key in DATA and not is_by_name else plain(value, key in BY_NAME and not is_by_name)
        for key, value in schema.items() if is_by_name or key not in ANNOTATIONS
    }


def same(old, new):
    return canonical(plain(old)) == canonical(plain(new))


def same_data(one, other):
    return canonical(one) == canonical(other)


def is_among(value, values):
    return any(same_data(value, one) for one in values)


def canonical(value):
    """The same text for the same JSON: true is not 1, but 1.0 is."""
    return json.dumps(_whole(value), sort_keys=True)


def _whole(value):
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, list):
        return [_whole(child) for child in value]
    return {key: _whole(child) for key, child in value.items()} if isinstance(value, dict) else value


def has_reference(node):
    if isinstance(node, list):
        return any(has_reference(child) for child in node)
    return isinstance(node, dict) and ("$ref" in node or any(has_reference(child) for child in node.values()))


def allowed_types(schema):
    types = schema.get("type")
    if types is None:
        return TYPES
    types = {types} if isinstance(types, str) else set(types)
    return types | {"integer"} if "number" in types else types


def closed(schema):
    """The only values; None where there are others."""
    return [schema["const"]] if "const" in schema else schema.get("enum")


def words(values):
    return ", ".join(sorted(str(value) for value in values))

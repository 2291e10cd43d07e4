"""Judges a composition, as `docker-compose config` prints it, from standard input: what each service must have."""
import collections, sys, yaml

# They end by themselves.
ONCE = {"topics", "timelines", "studio", "widgets"}
# Nothing of it listens or reads files that a check could look at; what it does is seen in its log.
UNCHECKED = {"board"}

services, problems = yaml.safe_load(sys.stdin)["services"], []


def must(name, what, holds):
    if not holds:
        problems.append(f"service {name} has no {what}")


def before(name):
    """All services that come before this one: those that it depends on, and those that they depend on."""
    named = services[name].get("depends_on", {})
    return set(named).union(*map(before, named))


# Which services build an image. Compose with BuildKit's bake builds all at once: of two that build one tag, the second
# fails where the image is already there.
builders = collections.defaultdict(list)
for name, service in sorted(services.items()):
    if "build" in service:
        builders[service.get("image")].append(name)
for image, names in builders.items():
    if len(names) > 1:
        problems.append(f"the image {image} is built by {len(names)} services, one may: {', '.join(names)}")

for name, service in sorted(services.items()):
    if service.get("image") in builders:
        # Else an image that is not there is asked of a registry, where a stranger's may have its name.
        must(name, "pull_policy: never", service.get("pull_policy") == "never")
        # docker-compose 1.29 knows no pull_policy; it builds and pulls in the order of depends_on.
        must(name, f"builder of its image before it, by depends_on: {', '.join(builders[service['image']])}",
             not (before(name) | {name}).isdisjoint(builders[service["image"]]))
    options = service.get("logging", {}).get("options", {})
    must(name, "mem_limit", service.get("mem_limit"))
    must(name, "limit of its log (max-size, max-file)", {"max-size", "max-file"} <= set(options))
    must(name, "tagged image", service.get("image", "").rpartition(":")[2] not in ("", "latest"))
    if name in ONCE:
        must(name, "right to end: restart", service.get("restart", "no") == "no")
    else:
        must(name, "restart policy", service.get("restart") == "unless-stopped")
        must(name, "health check", "healthcheck" in service or name in UNCHECKED)
if not ONCE | UNCHECKED <= set(services):
    problems.append(f"there is no service {', '.join(sorted((ONCE | UNCHECKED) - set(services)))}")
sys.exit("\n".join(problems) or None)

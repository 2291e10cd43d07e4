"""What every timeline has in common: section 1 of the contract's timeline semantics, written from its text alone.

Entries are dictionaries as they stand in a timeline, but for two keys of their own: `_at` is the date as a datetime,
`_rank` the place among the entries of one instant.
"""

import datetime as dt

UTC = dt.timezone.utc
LIMITS = {"systemSmall": 5, "systemMedium": 10}
PHASE_ORDER = {"end": 0, "preEvent": 1, "start": 2}
# The order of the schema (M7); a key out of its place is a difference, too.
KEYS = {
    "timeline": [
        "configurationId", "kind", "family", "recipient", "revision", "generatedAt", "validUntil", "entries",
        "refreshCount", "budget", "policy", "nextUpdate", "sources",
    ],
    "entry": [
        "id", "date", "phase", "event", "ongoing", "next", "tentative", "vehicle", "values", "message", "messageCode",
        "sample", "relevance", "parameters",
    ],
    "occurrence": ["calendarId", "uid", "recurrenceId", "title", "location", "start", "end", "allDay"],
    "vehicle": [
        "vehicleId", "registration", "alias", "status", "speed", "location", "latitude", "longitude",
        "customAddressIcon", "observedAt",
    ],
}


def parse_instant(text):
    return dt.datetime.fromisoformat(text.replace("Z", "+00:00")).astimezone(UTC)


def instant(value):
    value = value.astimezone(UTC)
    milliseconds = value.microsecond // 1000
    return value.strftime("%Y-%m-%dT%H:%M:%S") + (f".{milliseconds:03}" if milliseconds else "") + "Z"


def duration(text):
    """Of an ISO 8601 duration the local days and the elapsed rest."""
    days, _, rest = text.removeprefix("P").partition("T")
    amounts = {}
    for part in (days, rest):
        number = ""
        for letter in part:
            if letter.isdigit():
                number += letter
            else:
                amounts[letter if part is rest else letter.lower()] = int(number)
                number = ""
    local_days = amounts.get("w", 0) * 7 + amounts.get("d", 0)
    elapsed = dt.timedelta(hours=amounts.get("H", 0), minutes=amounts.get("M", 0), seconds=amounts.get("S", 0))
    return local_days, elapsed


def elapsed(text):
    """A duration where days cannot be anything but 24 hours: of zones without change of clocks, or of none."""
    days, rest = duration(text)
    return dt.timedelta(days=days) + rest


def entry(phase, at, **fields):
    return {"phase": phase, "_at": at, "_rank": (PHASE_ORDER.get(phase, 3),), **fields}


def entry_id(made):
    if made["phase"] in PHASE_ORDER:
        event = made["event"]
        occurrence = event.get("recurrenceId", event["start"])
        return f"{made['phase']}/{event['calendarId']}/{event['uid']}/{occurrence}"
    return f"{made['phase']}/{instant(made['_at'])}"


def relevance(made):
    match made["phase"]:
        case "start" | "preEvent":
            return {"score": 1.0 if made["phase"] == "start" else 0.7, "duration": made["_duration"]}
        case "status":
            return {"score": 0.8 if made["vehicle"]["status"] == "Moving" else 0.5}
        case "error":
            return {"score": 0.3}


def unique(entries):
    seen = set()
    for made in entries:
        identity = (made["_at"], entry_id(made))
        if identity not in seen:
            seen.add(identity)
            yield made


def in_force(entries, at, tick):
    """Rule 2: what is in force at `at` comes first; where nothing is, a tick."""
    past = [index for index, made in enumerate(entries) if made["_at"] <= at]
    if past:
        return entries[past[-1]:]
    return [tick()] + entries


def limited(entries, limit, next_midnight):
    """Rule 4: what stays, and the dates of what went."""
    stay = list(entries)
    gone = []

    def is_kept(made):
        kept_midnight = limit > 1 and made["phase"] == "day" and made["_at"] == next_midnight
        return made is stay[0] or kept_midnight

    for wanted in (lambda made: made["phase"] == "day", lambda made: True):
        for made in list(reversed(stay)):
            if len(stay) <= limit:
                return stay, gone
            if wanted(made) and not is_kept(made):
                stay.remove(made)
                gone.append(made["_at"])
    return stay, gone


def finish(configuration, at, entries, policy, interval, next_midnight, tick, latest_update=None):
    """The timeline of `entries` at `at`.

    `policy` is "atEnd", "never" or a datetime; `interval` is what an `atEnd` whose last entry is past waits for.
    """
    entries = sorted(entries, key=lambda made: (made["_at"], made["_rank"]))
    entries = in_force(list(unique(entries)), at, tick)
    limit = configuration.get("maximumEntries") or LIMITS.get(configuration.get("family", "systemMedium"), 20)
    entries, gone = limited(entries, limit, next_midnight)

    if policy == "atEnd" and (latest_update is None or entries[-1]["_at"] <= latest_update) and entries[-1]["_at"] > at:
        due = entries[-1]["_at"]
    elif policy == "atEnd":
        due = policy = at + interval if interval else next_midnight
    else:
        due = policy
    if policy != "never" and gone and min(gone) <= due:
        due = policy = min(gone)

    timeline = {
        "configurationId": configuration["configurationId"],
        "kind": configuration["kind"],
        "family": configuration.get("family", "systemMedium"),
        "recipient": configuration.get("recipient", configuration["configurationId"]),
        "generatedAt": instant(at),
        "entries": [written(made, configuration) for made in entries],
        # Nobody has been told of anything but the configuration itself, which costs nothing.
        "budget": {"limit": 48, "remaining": 10, "resetsAt": instant(at)},
    }
    if policy == "never":
        timeline["policy"] = {"type": "never"}
    else:
        timeline["nextUpdate"] = instant(due)
        timeline["policy"] = {"type": "atEnd"} if policy == "atEnd" else {"type": "after", "date": instant(due)}
    stale = [made["_at"] for made in entries if made["phase"] == "stale" and made["_at"] > at]
    if stale or policy != "never":
        timeline["validUntil"] = instant(stale[0] if stale else due)
    return timeline


def written(made, configuration):
    result = {key: value for key, value in made.items() if not key.startswith("_")}
    result |= {"id": entry_id(made), "date": instant(made["_at"])}
    if found := relevance(made):
        result["relevance"] = found
    if configuration.get("parameters"):
        result["parameters"] = configuration["parameters"]
    return result

"""Says of each timeline, a JSON line of standard input, what is to be shown now and when to come back: now.py [TIME]."""
import datetime, json, sys

KNOWN = {"preEvent", "start", "end", "status", "tick", "day", "stale", "placeholder", "signedOut", "selectVehicle", "error"}


def instant(text):
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))


def shown(timeline, now):
    """The entry in force, and the next instant at which something else may be to be shown; None: not before a reload."""
    entries = [entry for entry in timeline["entries"] if entry["phase"] in KNOWN]  # Later releases may have others.
    begun = [entry for entry in entries if instant(entry["date"]) <= now] or entries[:1]
    dates = [instant(entry["date"]) for entry in entries]
    if "nextUpdate" in timeline:  # Where it has passed, the new timeline is on its way: look again soon.
        dates.append(max(instant(timeline["nextUpdate"]), now + datetime.timedelta(seconds=10)))
    return begun[-1] if begun else None, min((date for date in dates if date > now), default=None)


now = instant(sys.argv[1]) if len(sys.argv) > 1 else datetime.datetime.now(datetime.timezone.utc)
for timeline in map(json.loads, sys.stdin):
    entry, back = shown(timeline, now)
    about = entry and (entry.get("event") or entry.get("vehicle") or entry.get("next")) or {}
    text = entry and (entry.get("message") or about.get("title") or about.get("status")) or ""
    print(timeline["configurationId"], entry and entry["phase"], text, "| back:", back and back.isoformat(), sep=" ")

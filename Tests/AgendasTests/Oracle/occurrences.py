"""What takes place in calendar files, by PyPI's recurring-ical-events, an implementation that shares no code with ours.

    Scripts/python Tests/AgendasTests/Oracle/occurrences.py FILE …

One JSON line for each file: its zone, the years that it covers, its occurrences in them as
[uid, start, end, title, status], and the UIDs with which the oracle can't do anything.
"""

import collections
import datetime as dt
import json
import signal
import sys
import warnings
import zoneinfo

import icalendar
import recurring_ical_events

warnings.simplefilter("ignore")
UTC = dt.timezone.utc
# What repeats within a day is looked at for so long only.
DENSE = dt.timedelta(days=40)
LONGEST = dt.timedelta(days=366 * 45)


def zone_of(calendar):
    try:
        return zoneinfo.ZoneInfo(str(calendar.get("X-WR-TIMEZONE", "UTC")).strip())
    except (zoneinfo.ZoneInfoNotFoundError, ValueError):
        return UTC


def values(event, name):
    found = event.get(name, [])
    for value in found if isinstance(found, list) else [found]:
        for each in getattr(value, "dts", [value]):
            each = getattr(each, "dt", None)
            yield each[0] if isinstance(each, tuple) else each


def instant(time, zone):
    if not isinstance(time, dt.datetime):
        time = dt.datetime(time.year, time.month, time.day)
    return (time if time.tzinfo else time.replace(tzinfo=zone)).astimezone(UTC)


def rules(event):
    found = event.get("RRULE", [])
    return found if isinstance(found, list) else [found]


def covered(events, zone):
    """From the first start to two years after the last date that is said anywhere."""
    dates, is_dense = [], False
    for event in events:
        for name in ("DTSTART", "RECURRENCE-ID", "RDATE"):
            dates += [instant(time, zone) for time in values(event, name) if time and time.year > 1]
        for rule in rules(event):
            dates += [instant(time, zone) for time in rule.get("UNTIL", []) if time and time.year < 9000]
            is_dense = is_dense or rule.get("FREQ", [""])[0] in ("SECONDLY", "MINUTELY", "HOURLY")
    if not dates:
        return None
    begin = min(dates).replace(month=1, day=1, hour=0, minute=0, second=0) - dt.timedelta(days=2)
    if is_dense:
        return min(dates) - dt.timedelta(days=1), min(dates) + DENSE
    return begin, min(max(dates) + dt.timedelta(days=800), begin + LONGEST)


def written(time, zone):
    if not isinstance(time, dt.datetime):
        return time.isoformat()
    return instant(time, zone).strftime("%Y-%m-%dT%H:%M:%SZ")


def groups(calendar):
    """One calendar for each UID, so that one that can't be read takes no other with it."""
    by_uid = collections.OrderedDict()
    for event in calendar.walk("VEVENT"):
        by_uid.setdefault(str(event.get("UID", "")), []).append(event)
    for uid, events in by_uid.items():
        part = icalendar.Calendar()
        if "X-WR-TIMEZONE" in calendar:
            part.add("X-WR-TIMEZONE", str(calendar["X-WR-TIMEZONE"]).strip())
        for event in events if uid else []:
            part.add_component(event)
        if uid:
            yield uid, part
        else:  # Each is an event of its own.
            for event in events:
                alone = part.copy()
                alone.add_component(event)
                yield uid, alone


def expand(calendar, zone, begin, end):
    for uid, part in groups(calendar):
        try:
            found = []
            for event in recurring_ical_events.of(part).between(begin - dt.timedelta(days=2), end + dt.timedelta(days=2)):
                start, stop = event["DTSTART"].dt, event["DTEND"].dt
                first, last = instant(start, zone), instant(stop, zone)
                if first < end and (last > begin or first == last and first >= begin):
                    status = str(event.get("STATUS", "CONFIRMED")).upper()
                    found.append((uid, written(start, zone), written(stop, zone), str(event.get("SUMMARY", "")), status))
            yield uid, found, None
        except Exception as error:  # Whatever it is: the series counts as unreadable.
            yield uid, [], f"{type(error).__name__}: {error}"[:200]


def read(text):
    """Where it can't be read as a whole, the oracle says so."""
    icalendar.timezone.tzp.use_default()  # Forgets the zones of other files.
    return icalendar.Calendar.from_ical(text, multiple=True)


def answer(file):
    with open(file, "rb") as opened:
        text = opened.read()
    try:
        calendars = [each for each in read(text) if each.name == "VCALENDAR"]
    except Exception as error:
        return {"file": file, "error": f"{type(error).__name__}: {error}"[:200]}
    zone = next((zone_of(each) for each in calendars if "X-WR-TIMEZONE" in each), UTC)
    spans = [span for each in calendars if (span := covered(each.walk("VEVENT"), zone))]
    if not spans:
        return {"file": file, "zone": str(zone), "occurrences": [], "unreadable": {}}
    begin, end = min(span[0] for span in spans), max(span[1] for span in spans)
    occurrences, unreadable = [], {}
    for calendar in calendars:
        for uid, found, problem in expand(calendar, zone, begin, end):
            occurrences += found
            if problem:
                unreadable[uid] = problem
    shown = [each[:4] for each in occurrences if each[4] != "CANCELLED"]
    return {
        "file": file, "zone": str(zone), "from": written(begin, UTC), "to": written(end, UTC),
        "occurrences": sorted(shown), "unreadable": unreadable,
    }


class TooSlow(BaseException):
    """Not an Exception, so that nothing but the end of a file takes it for its own."""


def time_is_up(*_):
    raise TooSlow


if __name__ == "__main__":
    # Of this process's own time, so that other work on the machine counts for nothing.
    signal.signal(signal.SIGPROF, time_is_up)
    for name in sys.argv[1:]:
        signal.setitimer(signal.ITIMER_PROF, 120)
        try:
            print(json.dumps(answer(name), ensure_ascii=False), flush=True)
        except (Exception, TooSlow) as error:
            print(json.dumps({"file": name, "error": f"{type(error).__name__}: {error}"[:200]}), flush=True)

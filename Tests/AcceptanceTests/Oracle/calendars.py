"""The strategy `events` on calendar files, whose occurrences are expanded by PyPI's recurring-ical-events."""

import datetime as dt
import zoneinfo

import icalendar
import recurring_ical_events

import rules

# More on both sides than a window of 31 days and any lead can need.
MARGIN = dt.timedelta(days=45)
DEFAULT_LEAD = "PT30M"
ONGOING_MAX = 20


def configurations(files):
    """One as it comes for each calendar, then what the strategy has to set, and one for all of them together."""
    zones = {calendar: zone_name(file) for calendar, file in files.items()}
    for calendar, zone in zones.items():
        plain = {"kind": "Agenda", "timeZone": zone, "calendarIds": [calendar]}
        yield {"configurationId": f"agenda-{calendar}"} | plain
        yield {
            "configurationId": f"month-{calendar}",
            "family": "systemExtraLarge",
            "maximumEntries": 500,
            "preEventLead": "PT2H",
            "strategy": {"name": "events", "days": 31},
            "parameters": {"title": "Monat"},
        } | plain
        yield {
            "configurationId": f"next-{calendar}",
            "family": "systemSmall",
            "strategy": {"name": "events", "days": 14, "dayEntries": False, "preEventLead": "PT0S"},
        } | plain
        # Elsewhere the same days begin at another time.
        yield {"configurationId": f"far-{calendar}", "strategy": {"name": "events", "days": 7}} | plain | {
            "timeZone": "Asia/Kolkata"
        }
    yield {
        "configurationId": "agenda-all",
        "kind": "Agenda",
        "family": "systemLarge",
        "timeZone": "Europe/Berlin",
        "calendarIds": sorted(zones),
        "strategy": {"name": "events", "days": 10},
    }


def zone_name(file):
    """Without reading the whole calendar, which takes seconds."""
    with open(file, encoding="utf-8") as lines:
        names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("X-WR-TIMEZONE:")]
    return names[0] if names else "UTC"


def read(file):
    with open(file, "rb") as bytes_of_file:
        return icalendar.Calendar.from_ical(bytes_of_file.read())


def expand(files, at):
    """Of each calendar what takes place around `at`, but what was cancelled."""
    found = {}
    for calendar_id, file in files.items():
        calendar = read(file)
        zone = zoneinfo.ZoneInfo(str(calendar.get("X-WR-TIMEZONE", "UTC")))
        series = {str(event["UID"]) for event in calendar.walk("VEVENT") if "RRULE" in event or "RDATE" in event}
        # What replaces an instance belongs to a series, even where its master is missing.
        series |= {str(event["UID"]) for event in calendar.walk("VEVENT") if "RECURRENCE-ID" in event}
        between = recurring_ical_events.of(calendar).between(at - MARGIN, at + MARGIN)
        found[calendar_id] = [
            occurrence(calendar_id, event, zone, str(event["UID"]) in series)
            for event in between
            if str(event.get("STATUS", "")).upper() != "CANCELLED"
        ]
    return found


def occurrence(calendar_id, event, zone, is_instance):
    start, end = event["DTSTART"].dt, event["DTEND"].dt
    all_day = not isinstance(start, dt.datetime)

    def moment(value):
        if not isinstance(value, dt.datetime):
            return value.isoformat()
        return rules.instant(value if value.tzinfo else value.replace(tzinfo=zone))

    shown = {"calendarId": calendar_id, "uid": str(event["UID"])}
    if is_instance:
        shown["recurrenceId"] = moment(event["RECURRENCE-ID"].dt) if "RECURRENCE-ID" in event else moment(start)
    shown["title"] = str(event.get("SUMMARY", ""))
    if location := str(event.get("LOCATION", "")):
        shown["location"] = location
    shown |= {"start": moment(start), "end": moment(end), "allDay": all_day}
    return {"shown": shown, "tentative": str(event.get("STATUS", "")).upper() == "TENTATIVE"}


class Agenda:
    """The window of one configuration at `at`, and what takes place in it."""

    def __init__(self, configuration, occurrences, at):
        self.strategy = configuration.get("strategy", {})
        self.zone = zoneinfo.ZoneInfo(configuration.get("timeZone", "UTC"))
        today = at.astimezone(self.zone).date()
        days = self.strategy.get("days", 2)
        self.midnights = [self.midnight(today + dt.timedelta(days=day)) for day in range(days)]
        self.end = self.midnight(today + dt.timedelta(days=days))
        self.next_midnight = self.midnight(today + dt.timedelta(days=1))
        lead = self.strategy.get("preEventLead", configuration.get("preEventLead", DEFAULT_LEAD))
        self.lead = rules.elapsed(lead)
        placed = [self.place(found) for calendar in configuration["calendarIds"] for found in occurrences[calendar]]
        self.placed = sorted(filter(self.includes, placed), key=lambda found: found["order"])

    def midnight(self, date):
        return dt.datetime.combine(date, dt.time(), self.zone).astimezone(rules.UTC)

    def place(self, found):
        shown = found["shown"]
        if shown["allDay"]:
            start, end = (self.midnight(dt.date.fromisoformat(shown[key])) for key in ("start", "end"))
        else:
            start, end = (rules.parse_instant(shown[key]) for key in ("start", "end"))
        lead = dt.timedelta() if shown["allDay"] else self.lead
        order = (start, shown["calendarId"].encode(), shown["uid"].encode(), end)
        return found | {"from": start, "to": max(start, end), "lead": lead, "order": order}

    def includes(self, found):
        has_length = found["to"] > found["from"]
        is_over = found["to"] <= self.midnights[0] if has_length else found["from"] < self.midnights[0]
        return not is_over and found["from"] - found["lead"] < self.end

    # What is shown

    def surroundings(self, date):
        later = [found for found in self.placed if found["from"] > date]
        return {"ongoing": self.under_way(date)} | ({"next": later[0]["shown"]} if later else {})

    def under_way(self, date, besides=None):
        found = [found for found in self.placed if found["from"] <= date < found["to"] and found is not besides]
        return [each["shown"] for each in found[:ONGOING_MAX]]

    def entry(self, phase, date, found):
        made = rules.entry(phase, date, event=found["shown"])
        shown = found["shown"]
        made["_rank"] += (shown["calendarId"].encode(), shown["uid"].encode(), found["from"])
        length = found["lead"] if phase == "preEvent" else found["to"] - found["from"]
        made["_duration"] = int(length.total_seconds())
        if found["tentative"]:
            made["tentative"] = True
        if phase == "end" or phase == "start" and not length:
            made |= self.surroundings(date)
        elif others := self.under_way(date, besides=found):
            made["ongoing"] = others
        return made

    def entries(self):
        made = []
        for found in self.placed:
            if found["lead"]:
                made.append(self.entry("preEvent", found["from"] - found["lead"], found))
            made.append(self.entry("start", found["from"], found))
            if found["to"] > found["from"]:
                made.append(self.entry("end", found["to"], found))
        if self.strategy.get("dayEntries", True):
            taken = {other["_at"] for other in made}
            for date in self.midnights:
                if date not in taken:
                    made.append(rules.entry("day", date, **self.surroundings(date)))
        return made

    def tick(self, at):
        """Rule 11: what is under way, or else what comes next."""
        begun = [found for found in self.placed if found["from"] <= at and (at < found["to"] or at == found["from"])]
        later = [found for found in self.placed if at < found["from"] < self.end]
        shown = begun[-1:] or later[:1]
        return rules.entry("tick", at, **({"event": shown[0]["shown"]} if shown else {}))


def timeline(configuration, occurrences, at):
    agenda = Agenda(configuration, occurrences, at)
    has_days = agenda.strategy.get("dayEntries", True)
    return rules.finish(
        configuration, at, agenda.entries(), agenda.next_midnight if has_days else "atEnd", None,
        agenda.next_midnight, lambda: agenda.tick(at), latest_update=None if has_days else agenda.next_midnight)

// Agendas: calendar events and what they come to: recurrence, exceptions, local time, iCalendar text.
// Pure values and pure functions over `Timelines`. Zones that a text defines are reckoned here, and held against
// libical by tests.
//
// Start with `CalendarEvent`, one record of the topic `calendar.events`; `EventCalendar` holds a calendar's events and
// says which occurrences fall into a window; `ICalendar` reads `.ics` files. Rules are those of RFC 5545 and of
// T10.

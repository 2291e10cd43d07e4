// Agendas: the occurrences of calendar events, by RFC 5545 and T10: recurrence, exceptions, local time, iCalendar text.
// All of it is pure values and pure functions. Zones that a text defines are reckoned here; tests hold them against
// libical.
//
// It must not know Kafka, files, clocks or JSON: Messages reads records, Producers reads files.
//
// Begin with `Events/CalendarEvent.swift`, one record of the topic `calendar.events`. `Occurrences` has a calendar's
// events and says which occurrences fall into a window, with `Recurrence` for series. `ICalendar` makes events of
// `.ics` text, with `Zones` for the zones that such texts name or define.

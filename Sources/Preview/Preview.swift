// Preview: timelines that would be made, from files, without a broker. Reads configurations, telemetry and calendars,
// walks through their timelines, and shows them: as the records of the topic, as a table, or as a page.
//
// Start with `PreviewInputs.read`, then `PreviewRun.previews`. `AgendaListing` and `AgendaTable` show what calendar
// files come to, without timelines. Nothing here writes: who asks gets text.

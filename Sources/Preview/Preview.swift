// Preview: the timelines that would be made of files, without a broker: as records of the topic, as a table, or as a
// page.
//
// It must not know Kafka, terminals or output files: whoever calls it gets text. It makes no timeline by itself; that
// is `TimelineWalk` of Timelines.
//
// Begin with `PreviewRun.swift`. `Inputs` reads configurations, telemetry and calendars; `PreviewRun.previews` walks
// through their timelines; `Table` and `Page` show them. `Agenda` lists the occurrences of calendar files without
// timelines.

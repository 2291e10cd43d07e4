// Timelines

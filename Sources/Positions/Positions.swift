// Positions: where a reader is in a timeline, on all devices: snapshots, their merge, and how a place is found again.
//
// It must not know topics, servers, clocks or wire formats: everything is a pure value, and the instant comes with the
// call. It is part of the library product TidelineClient, so it compiles on iOS 16 and macOS 13, too.
//
// Begin with the merge of snapshots, then how a place is restored into the entries of a timeline.

/// Entries and dates of timelines.
@_exported public import Timelines

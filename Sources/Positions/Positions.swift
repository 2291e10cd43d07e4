// Positions: where a reader is in a timeline, on all devices: snapshots, their merge, and how a place is found again.
//
// It must not know topics, servers, clocks or wire formats: everything is a pure value, and the instant comes with the
// call. It is part of the library product TidelineClient, so it compiles on iOS 16 and macOS 13, too.
//
// Begin with `Merge/ReaderPositions.swift`: the records of a reader's devices become one value that merges with others.
// `Restoration/PositionRestorer.swift` finds the place again in the entries of a timeline, and says how sure it is.
// `Snapshots` has the parts of both, `Settings` the bounds and switches, `Sync` the values that say how a device gets
// on with its server.

/// Entries and dates of timelines.
@_exported public import Timelines

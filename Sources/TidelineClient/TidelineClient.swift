// TidelineClient: timelines and readers' positions in an app: Linux, iOS 16, macOS 13.
//
// It must not know the server's modules: Foundation, Positions and Timelines are all that it imports.
//
// Begin with the client, then the position store.

// Observability: what an operator sees of a running process: a structured log, the progress of long work, its usage.
//
// It must not know what the program does, nor read a clock by itself: the composition root hands in the time, and
// there is no global logging system: whoever makes a `Logger` hands it a `LogHandler`. `Terminal` alone knows the
// terminal.
//
// Begin with Logger.swift: a message with metadata becomes a `LogRecord`, which a `LogHandler` writes to a `LogStream`.
// `ProgressBar` shows `Progress` on the same stream. The names are swift-log's as far as they go, so that its readers
// are at home and a team can swap it in.

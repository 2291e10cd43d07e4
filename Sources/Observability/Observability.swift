/// What an operator sees of a running process: a structured log, the progress of long work, and what the process has
/// used so far.
///
/// The names are swift-log's as far as they go, so that its readers are at home and a team can swap it in. One thing is
/// left out on purpose: there is no global logging system. Whoever makes a ``Logger`` hands it a ``LogHandler``.
///
/// Nothing here reads a clock by itself: it is given by the composition root. ``Terminal`` alone knows the terminal.
enum Observability {}

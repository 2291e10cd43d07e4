/// A command line declared as types: verbs, options, flags and arguments, with help, suggestions and shell completion.
///
/// The names are swift-argument-parser's as far as they go. A command is a structure that conforms to
/// ``ParsableCommand``; its properties carry ``Option``, ``Flag``, ``Argument`` or ``OptionGroup``:
///
///     struct Sink: ParsableCommand {
///         static let configuration = CommandConfiguration(
///             abstract: "Writes timelines out.",
///             examples: [CommandExample("tideline sink --to files:out", "One file per configuration.")])
///
///         @Option(help: "Where to.") var to: String
///         @Flag(help: "End when everything is written.") var untilCaughtUp = false
///     }
///
/// Parsing is pure: words go in, and a command or a ``CommandExit`` comes out. A command that was parsed is a plain
/// value.
enum Arguments {}

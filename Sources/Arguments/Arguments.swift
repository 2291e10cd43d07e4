// Arguments: a command line declared as types: verbs, options and arguments, with help, suggestions and completion.
//
// It must not know the program: it prints nothing, ends nothing and reads no environment. Parsing is pure: words go in,
// and a command, a plain value, or a `CommandExit` comes out.
//
// Begin with ParsableCommand.swift. A command is a structure that conforms to `ParsableCommand`; its properties carry
// `Option`, `Flag`, `Argument` or `OptionGroup` (folder Declarations). The names are swift-argument-parser's as far as
// they go:
//
//     struct Sink: ParsableCommand {
//         static let configuration = CommandConfiguration(
//             abstract: "Writes timelines out.",
//             examples: [CommandExample("tideline sink --to files:out", "One file per configuration.")])
//
//         @Option(help: "Where to.") var to: String
//         @Flag(help: "End when everything is written.") var untilCaughtUp = false
//     }
//
// `CommandParser` finds the verb, `ArgumentReader` gives each word to the declaration that it is for, and
// `ArgumentDecoder` hands the values to the structure's synthesized initializer. Help and Completion write texts from
// the same declarations.

/// What a command line asks for instead of a command: a text to print, and a status to end with.
package enum CommandExit: Error, Equatable {
    /// Help, the version or a completion script was asked for.
    case clean(String)
    /// The command line is wrong. `hint` says how to go on.
    case usage(message: String, hint: String)

    /// 0, or 64 as `EX_USAGE` in sysexits.h.
    package var exitCode: Int32 {
        switch self {
        case .clean: 0
        case .usage: 64
        }
    }

    /// The text, without a line end. A clean exit's belongs on standard output, the other's on standard error.
    package var text: String {
        switch self {
        case .clean(let text): text
        case .usage(let message, let hint): "Error: \(message)\n\(hint)"
        }
    }
}

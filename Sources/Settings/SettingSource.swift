/// The source of a setting. Its description is what a person looks for: a flag, a variable, `file:line`.
package enum SettingSource: Equatable, Sendable {
    /// A flag, as it was written, with its hyphens.
    case flag(String)
    case environment(variable: String)
    /// Lines count from 1.
    case file(path: String, line: Int)
    case `default`
}

extension SettingSource: CustomStringConvertible {
    package var description: String {
        switch self {
        case .flag(let flag): flag
        case .environment(let variable): variable
        case .file(let path, let line): "\(path):\(line)"
        case .default: "default"
        }
    }
}

/// All that the sources say, as handed in by the composition root.
package struct SettingsSources: Sendable {
    /// A setting from the command line.
    package struct Flag: Sendable {
        package var key: String
        package var text: String
        /// The flag as it was written: `--commit-interval`, or `--set`.
        package var flag: String

        package init(key: String, text: String, flag: String) {
            self.key = key
            self.text = text
            self.flag = flag
        }
    }

    /// The text of a YAML file and the name under which problems mention it.
    package struct File: Sendable {
        package var path: String
        package var text: String

        package init(path: String, text: String) {
            self.path = path
            self.text = text
        }
    }

    /// The flags; of two with the same key the later wins.
    package var flags: [Flag]
    /// All variables of the process; those without the schema's prefix are ignored.
    package var environment: [String: String]
    package var file: File?

    package init(flags: [Flag] = [], environment: [String: String] = [:], file: File? = nil) {
        self.flags = flags
        self.environment = environment
        self.file = file
    }
}

import Foundation
import TestSupport

/// The modules and the direction of their imports: the table in DESIGN.md, "Modules".
enum ModuleTable {
    /// What each module may import directly.
    private static let arrows: [String: Set<String>] = [
        "SplitMix": [],
        "Times": [],
        "RecordLog": ["Times"],
        "RdKafka": ["CRdKafka", "RecordLog"],
        "StreamCore": ["RecordLog"],
        "StreamRuntime": ["StreamCore"],
        "Timelines": ["Times"],
        "Agendas": ["Timelines"],
        "Positions": ["Timelines"],
        "Messages": ["CSimdjson", "Timelines", "Agendas", "Positions"],
        "Pipeline": ["Messages", "StreamCore"],
        "HTTPClient": ["CCurl"],
        "Crypto": ["COpenSSL"],
        "Sinks": ["Messages", "RecordLog", "HTTPClient", "Crypto"],
        "Producers": ["CZlib", "Messages", "RecordLog", "SplitMix"],
        "Preview": ["Messages", "Producers"],
        "Gateway": ["Messages"],
        "Observability": [],
        "Arguments": [],
        "Settings": ["CYaml"],
        "Simulation": ["StreamRuntime"],
        "tideline": [
            "RdKafka", "StreamRuntime", "Pipeline", "Sinks", "Producers", "Preview", "Gateway", "Observability",
            "Arguments", "Settings", "Simulation",
        ],
    ]

    /// What the toolchain brings.
    private static let system: Set<String> = ["Foundation", "Synchronization", "Glibc", "Dispatch"]

    /// What `module` may import: what an arrow leads to, directly or on its way; of C libraries only its own.
    ///
    /// Nil where the table does not have the module.
    static func allowed(for module: String) -> Set<String>? {
        guard let direct = arrows[module] else { return nil }
        return direct.reduce(into: direct.union(system)) { reached, next in
            reached.formUnion((allowed(for: next) ?? []).filter { !isForC($0) })
        }
    }

    /// Folders of C libraries are named like `CRdKafka`.
    static func isForC(_ module: String) -> Bool {
        module.contains(/^C[A-Z]/)
    }

    /// The folders below Sources, by name.
    static func folders() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: PackageRoot.url.appending(path: "Sources").path)
            .filter { !$0.hasPrefix(".") }.sorted()
    }

    /// The imports in `file` that no arrow allows.
    static func violations(in file: SourceFile) -> [Violation] {
        guard let allowed = allowed(for: file.module) else {
            return [Violation(path: file.path, line: 1, problem: "the table does not have module \(file.module)")]
        }
        let statement =
            #/
            ^\s* (?: @\w+ (?: \( \w+ \) )? \s+ )*
            (?: (?: package | public | internal | fileprivate | private ) \s+ )?
            import \s+
            (?: (?: struct | class | enum | protocol | func | typealias | var | let ) \s+ )?
            (\w+)
            /#
        return file.lines.compactMap { line in
            guard line.uses("import"), let imported = line.code.firstMatch(of: statement)?.1,
                !allowed.contains(String(imported))
            else { return nil }
            return Violation(path: file.path, line: line.number, problem: "\(file.module) may not import \(imported)")
        }
    }
}

import Foundation
import TestSupport

/// The modules and the direction of their imports: the table in DESIGN.md, "Modules".
enum ModuleTable {
    /// What each module may import directly, as the table's rows say: names, and what they may import. In a row of
    /// several names `;` divides the imports of the one from those of the next; `all` is every module of the table.
    private static let arrows: [String: Set<String>] = {
        let page = (try? String(contentsOf: PackageRoot.url.appending(path: "DESIGN.md"), encoding: .utf8)) ?? ""
        return arrows(in: page)
    }()

    static func arrows(in page: String) -> [String: Set<String>] {
        var arrows: [String: Set<String>] = [:]
        let lines = page.split(separator: "\n", omittingEmptySubsequences: false)
        let rows = lines.drop { !$0.hasPrefix("| module |") }.dropFirst(2)
        for row in rows.prefix(while: { $0.hasPrefix("|") }) {
            let cells = row.split(separator: "|", omittingEmptySubsequences: false).dropFirst().map(words)
            let imports = cells[1].split(separator: ";", omittingEmptySubsequences: false).map { Set($0) }
            for (place, name) in cells[0].enumerated() {
                arrows[name] = place < imports.count ? imports[place] : []
            }
        }
        for (name, imports) in arrows where imports == ["all"] {
            arrows[name] = Set(arrows.keys.filter { !isForC($0) && $0 != name })
        }
        return arrows
    }

    /// The names of a cell, with a `;` where one stands.
    private static func words(_ cell: Substring) -> [String] {
        cell.matches(of: /\w+|;/).map { String($0.0) }
    }

    /// What the toolchain brings, on Linux and on Apple's systems, where the libraries are built, too.
    private static let system: Set<String> = [
        "Foundation", "FoundationNetworking", "Synchronization", "Dispatch", "Glibc", "Darwin", "os",
    ]

    /// What `module` may import: what an arrow leads to, directly or on its way; of C libraries only its own.
    ///
    /// - Returns: `nil` if the table does not have the module.
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

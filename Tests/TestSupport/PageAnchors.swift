import Foundation

/// The anchors of a page's headings, as GitHub makes them.
package enum PageAnchors {
    package static func anchor(of heading: String) -> String {
        heading.lowercased().replacing(" ", with: "-").filter { $0.isLetter || $0.isNumber || $0 == "-" }
    }

    /// - Parameter page: the path from the root of the package.
    package static func all(in page: String) throws -> Set<String> {
        let text = try String(contentsOf: PackageRoot.url.appending(path: page), encoding: .utf8)
        let headings = text.split(separator: "\n").filter { $0.hasPrefix("#") }
        return Set(headings.map { anchor(of: $0.drop { $0 == "#" || $0 == " " }.description) })
    }
}

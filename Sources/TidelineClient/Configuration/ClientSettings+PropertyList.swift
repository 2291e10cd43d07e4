public import Foundation
public import Positions

/// Settings as an app ships them: a property list with the dictionaries `PositionPersistence` and `Performance` and
/// the Boolean `Debug`. What it leaves out has its default; other keys beside these three are not read, so an app's
/// Info.plist will do.
extension ClientSettings {
    /// Reads a file.
    ///
    /// - Throws: every value that is not allowed, with its key and what is allowed.
    public init(propertyListAt file: URL) throws(ConfigurationProblems) {
        let data: Data
        do {
            data = try Data(contentsOf: file)
        } catch {
            throw ConfigurationProblems(
                .init(key: file.path, "must be a file that can be read: \(error.localizedDescription)"))
        }
        try self.init(propertyList: data)
    }

    /// Reads the bytes of a property list, in XML or in the binary form.
    ///
    /// - Throws: every value that is not allowed, with its key and what is allowed.
    public init(propertyList data: Data) throws(ConfigurationProblems) {
        let list: PropertyListValue
        do {
            list = try PropertyListDecoder().decode(PropertyListValue.self, from: data)
        } catch {
            throw ConfigurationProblems(
                .init(key: "settings", "must be a property list: \(DecodingProblem.text(of: error))"))
        }
        guard case .dictionary(let root) = list else {
            throw ConfigurationProblems(.init(key: "settings", "must be a dictionary"))
        }
        self.init()
        var reader = PropertyListReader(root)
        reader.read("PositionPersistence") { group in
            group.bool("Enabled", &positions.enabled)
            group.bool("SmartRestoration", &positions.smartRestoration)
            group.integer("MaxHistorySize", 1...1000, &positions.maxHistorySize)
            group.seconds("AutoSaveInterval", 0.1...3600, &positions.autoSaveInterval)
            group.bool("CrossSessionSync", &positions.crossSessionSync)
            group.bool("iCloudSyncEnabled", &positions.cloudSync)
            group.choice("FallbackStrategy", &positions.fallbackStrategy)
        }
        reader.read("Performance") { group in
            group.bool("LazyLoadingEnabled", &positions.lazyLoading)
            group.integer("ScrollBufferSize", 1...500, &positions.scrollBufferSize)
            group.integer("RenderAheadCount", 0...499, &positions.renderAheadCount)
            var megabytes = memoryWarningThreshold >> 20
            group.integer("MemoryWarningThreshold", 1...65_536, &megabytes)
            memoryWarningThreshold = megabytes << 20
            if positions.renderAheadCount >= positions.scrollBufferSize {
                group.refuse(
                    "RenderAheadCount",
                    "must be less than ScrollBufferSize, which is \(positions.scrollBufferSize), not "
                        + "\(positions.renderAheadCount)")
            }
        }
        reader.bool("Debug", &debug)
        guard reader.problems.isEmpty else { throw ConfigurationProblems(reader.problems) }
    }
}

/// A value of a property list, with its type as it stands there: a Boolean is no number.
private enum PropertyListValue: Decodable {
    case bool(Bool)
    case integer(Int)
    case real(Double)
    case text(String)
    case dictionary([String: PropertyListValue])
    case other

    init(from decoder: any Decoder) throws {
        if let members = try? decoder.container(keyedBy: AnyKey.self) {
            var dictionary: [String: PropertyListValue] = [:]
            for key in members.allKeys {
                dictionary[key.stringValue] = try members.decode(PropertyListValue.self, forKey: key)
            }
            self = .dictionary(dictionary)
            return
        }
        guard let value = try? decoder.singleValueContainer() else {
            self = .other
            return
        }
        if let bool = try? value.decode(Bool.self) {
            self = .bool(bool)
        } else if let integer = try? value.decode(Int.self) {
            self = .integer(integer)
        } else if let real = try? value.decode(Double.self) {
            self = .real(real)
        } else if let text = try? value.decode(String.self) {
            self = .text(text)
        } else {
            self = .other
        }
    }

    var text: String {
        switch self {
        case .bool(let bool): bool ? "true" : "false"
        case .integer(let integer): "\(integer)"
        case .real(let real): "\(real)"
        case .text(let text): "\"\(text)\""
        case .dictionary: "a dictionary"
        case .other: "a value of another type"
        }
    }
}

private struct AnyKey: CodingKey {
    var stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) {
        self.stringValue = stringValue
    }

    init?(intValue: Int) {
        nil
    }
}

/// Reads values by key, and gathers what is wrong.
private struct PropertyListReader {
    private(set) var problems: [ConfigurationProblem] = []
    private let members: [String: PropertyListValue]
    private let path: String
    private var known: [String] = []

    init(_ members: [String: PropertyListValue], path: String = "") {
        self.members = members
        self.path = path
    }

    /// Reads a dictionary. A key in it that nobody asked for is a problem.
    mutating func read(_ key: String, _ body: (inout PropertyListReader) -> Void) {
        var group = PropertyListReader([:], path: key + ".")
        switch members[key] {
        case nil: break
        case .dictionary(let members): group = PropertyListReader(members, path: key + ".")
        case let value?: refuse(key, "must be a dictionary, not \(value.text)")
        }
        body(&group)
        for name in group.members.keys.sorted() where !group.known.contains(name) {
            let near = nearestName(to: name, among: group.known).map { "; did you mean \($0)?" } ?? ""
            group.refuse(name, "is no key here; allowed are \(group.known.joined(separator: ", "))\(near)")
        }
        problems += group.problems
    }

    mutating func bool(_ key: String, _ value: inout Bool) {
        switch find(key) {
        case nil: break
        case .bool(let bool): value = bool
        case let other?: refuse(key, "must be true or false, not \(other.text)")
        }
    }

    mutating func integer(_ key: String, _ range: ClosedRange<Int>, _ value: inout Int) {
        switch find(key) {
        case nil: break
        case .integer(let integer) where range ~= integer: value = integer
        case let other?:
            refuse(key, "must be a whole number from \(range.lowerBound) to \(range.upperBound), not \(other.text)")
        }
    }

    mutating func seconds(_ key: String, _ range: ClosedRange<Double>, _ value: inout ElapsedTime) {
        let number: Double? =
            switch find(key) {
            case .integer(let integer): Double(integer)
            case .real(let real): real
            default: nil
            }
        if let number, range ~= number {
            value = ElapsedTime(milliseconds: Int64((number * 1000).rounded()))
        } else if let other = members[key] {
            refuse(
                key, "must be a number of seconds from \(range.lowerBound) to \(range.upperBound), not \(other.text)")
        }
    }

    mutating func choice<Value: RawRepresentable & CaseIterable>(
        _ key: String, _ value: inout Value
    ) where Value.RawValue == String {
        guard let found = find(key) else { return }
        if case .text(let text) = found, let choice = Value(rawValue: text) {
            value = choice
        } else {
            let allowed = Value.allCases.map(\.rawValue).joined(separator: ", ")
            refuse(key, "must be one of \(allowed), not \(found.text)")
        }
    }

    mutating func refuse(_ key: String, _ message: String) {
        problems.append(ConfigurationProblem(key: path + key, message))
    }

    private mutating func find(_ key: String) -> PropertyListValue? {
        known.append(key)
        return members[key]
    }
}

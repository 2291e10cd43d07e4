/// Values by texts that are told apart by their UTF-8 bytes (`TextKey`), as configurations are by their ids.
package struct TextDictionary<Value> {
    private var pairs: [TextKey: Value] = [:]

    package init() {}

    package var count: Int { pairs.count }
    package var isEmpty: Bool { pairs.isEmpty }
    /// In no certain order.
    package var values: some Collection<Value> { pairs.values }
    /// In no certain order.
    package var texts: some Sequence<String> { pairs.keys.lazy.map(\.text) }

    package subscript(text: String) -> Value? {
        get { pairs[TextKey(text)] }
        _modify { yield &pairs[TextKey(text)] }
    }

    package subscript(text: String, default value: @autoclosure () -> Value) -> Value {
        get { pairs[TextKey(text)] ?? value() }
        _modify { yield &pairs[TextKey(text), default: value()] }
    }

    /// - Returns: the value that was there before.
    @discardableResult
    package mutating func updateValue(_ value: Value, for text: String) -> Value? {
        pairs.updateValue(value, forKey: TextKey(text))
    }

    @discardableResult
    package mutating func removeValue(for text: String) -> Value? {
        pairs.removeValue(forKey: TextKey(text))
    }

    package mutating func removeAll(keepingCapacity: Bool = false) {
        pairs.removeAll(keepingCapacity: keepingCapacity)
    }

    /// Takes in the values of texts that are not there yet.
    package mutating func fill(from others: Self) {
        pairs.merge(others.pairs) { own, _ in own }
    }

    /// The texts, ascending by their bytes, with their values.
    package var sorted: [(text: String, value: Value)] {
        pairs.sorted { $0.key < $1.key }.map { ($0.key.text, $0.value) }
    }
}

extension TextDictionary: Sendable where Value: Sendable {}

/// Why a configuration cannot be used: the key, and a sentence that says what is allowed.
package struct ConfigurationProblem: Error, Hashable, Sendable {
    package var key: String
    package var message: String

    package init(key: String, _ message: String) {
        self.key = key
        self.message = message
    }
}

import Arguments

/// The options of a verb that shows what it would touch, and does it if it is told to.
struct ExecutionOptions: ParsableArguments {
    @Flag(name: .customLong("execute"), help: "Do it, after asking.") var isExecuted = false
    @Flag(help: "Do not ask.") var yes = false
    @Flag(help: "Write the plan as JSON lines, and once more when it was carried out.") var json = false

    /// Writes a plan to standard output.
    ///
    /// - Parameters:
    ///   - json: the plan with what becomes of it now.
    ///   - lines: the same for people.
    func show(_ json: @autoclosure () -> String, _ lines: @autoclosure () -> [String]) {
        if self.json {
            print(json())
        } else {
            for line in lines() { print(line) }
        }
    }
}

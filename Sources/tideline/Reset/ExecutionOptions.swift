import Arguments
import RecordLog

/// The options of a verb that shows what it would touch, and does it if it is told to.
struct ExecutionOptions: ParsableArguments {
    @Flag(name: .customLong("execute"), help: "Do it, after asking.") var isExecuted = false
    @Flag(help: "Do not ask.") var yes = false
    @Flag(help: "Write the plan as JSON lines, and once more when it was carried out.") var json = false

    /// Waits until a broker answers, and warns of an application that is not known. A verb that is to do it, and that
    /// can ask nobody, does not wait.
    ///
    /// - Returns: what asks brokers; the caller closes it.
    /// - Throws: with status 64 if nobody can be asked for consent, with 69 if no broker answers.
    func connect(_ environment: Environment) throws(CommandFailure) -> any Admin {
        if isExecuted { try Consent.requireTerminal(isGiven: yes) }
        let admin = try environment.connect()
        environment.warnOfUnknownApplication(admin)
        return admin
    }

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

/// A schedule as a configuration asks for it: `{"type": name, …options}` (S1 to S6). A choice is its options.
///
/// Adding a schedule is one file that conforms to this, and one line in `TimelineSchedules.all`.
package protocol ScheduleChoice: Hashable, Sendable {
    /// The `type` that configurations use.
    static var name: String { get }

    /// What people are told about it, and its options as they are declared: nothing else is taken.
    static var reference: StrategyReference { get }

    /// Reads the options; those that are absent take their defaults.
    ///
    /// - Throws: the first option that is wrong, with its key and what is allowed. Keys that are not declared are
    ///   refused before.
    init(options: StrategyOptions) throws(ConfigurationProblem)

    /// Ascending dates, from the one in force at `at` on, or from the first one if all are later. They may never end.
    func dates(around at: Instant, mode: TimelineScheduleMode, in calendar: LocalCalendar) -> AnySequence<Instant>

    /// The options as a configuration has them, without those that are absent.
    var options: Parameters { get }

    /// The reason why an entry has its date, in words.
    func summary(in mode: TimelineScheduleMode) -> String

    /// What is allowed, but hardly meant, in a timeline made at `at`: sentences that begin with the option's key.
    func warnings(at: Instant) -> [String]
}

extension ScheduleChoice {
    package func warnings(at: Instant) -> [String] { [] }
}

/// The registry of schedules: the one place that names them all.
package enum TimelineSchedules {
    package static let all: [any ScheduleChoice.Type] = [
        EveryMinuteTimelineSchedule.self,
        PeriodicChoice.self,
        ExplicitChoice.self,
        AnimationChoice.self,
    ]
}

/// A schedule of any type that a configuration asks for.
package struct AnyScheduleChoice: Hashable, Sendable {
    package let choice: any ScheduleChoice

    init(_ choice: any ScheduleChoice) {
        self.choice = choice
    }

    package static func == (left: Self, right: Self) -> Bool { AnyHashable(left.choice) == AnyHashable(right.choice) }

    package func hash(into hasher: inout Hasher) { hasher.combine(AnyHashable(choice)) }
}

extension OptionForm<AnyScheduleChoice> {
    /// `{"type": name, …options}`
    static var schedule: Self {
        let names = TimelineSchedules.all.map { $0.name }.joined(separator: ", ")
        return OptionForm(
            allowed: "an object with a type, one of \(names), and its options",
            schema: .reference(to: "timelineSchedule"),
            readPart: { value, path throws(ConfigurationProblems) in
                guard case .object(var members) = value, case .string(let name)? = members["type"] else { return nil }
                members["type"] = nil
                let type = try Registry.entry(
                    named: name, in: TimelineSchedules.all.map { ($0.name, $0) }, key: "\(path).type")
                let options = StrategyOptions(members, path: path)
                try options.check(type.reference.options, of: "the schedule \(name)")
                do throws(ConfigurationProblem) {
                    return AnyScheduleChoice(try type.init(options: options))
                } catch {
                    throw ConfigurationProblems(error)
                }
            },
            write: { schedule in
                var members = schedule.choice.options
                members["type"] = .string(type(of: schedule.choice).name)
                return .object(members)
            })
    }
}

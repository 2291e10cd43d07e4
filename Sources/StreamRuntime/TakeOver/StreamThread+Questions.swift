import RecordLog

/// What a thread asks of brokers beside its iterations (`BrokerInquiry`): one question at a time, and where its answer
/// goes.
extension StreamThread {
    /// Asks what is due, as far as no question is under way. Tasks that are to be taken over were asked about before
    /// (`takeOver`): they come first.
    func askWhatIsDue() {
        receiveAnswer()
        askForAbandoned()
        askForEnds()
        askForStandbys()
        askForUnowned()
    }

    /// Asks, and takes the answer at once where the background works within the call.
    ///
    /// - Parameter isUrgent: true if it goes before other threads' questions that are not.
    func ask(isUrgent: Bool = false, _ question: @escaping @Sendable (BrokerInquiry.Ports) -> BrokerInquiry.Answer) {
        inquiry.ask(isUrgent: isUrgent, question)
        receiveAnswer()
    }

    /// Takes what was answered, if it is there.
    func receiveAnswer() {
        switch inquiry.takeAnswer() {
        case .takeOver(let answer): use(answer)
        case .abandoned(let answer, let askedAt): use(answer, askedAt: askedAt)
        case .ends(let ends): use(ends)
        case .members(let members): follow(members)
        case .unowned(let answer): use(answer)
        case nil: return
        }
    }
}

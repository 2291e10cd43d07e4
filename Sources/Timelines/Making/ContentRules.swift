extension TimelineProvider {
    /// The number of the rules that decide the content of timelines. To be raised by one in each release in which the
    /// same configuration, data and instant may give other content than in the release before: a timeline that differs
    /// for that alone is made anew when it is next due, and costs no reload.
    ///
    /// 0: releases before 0.1.0. 1: `preEvent` and `start` list what is under way, `dayNight` changes at dawn.
    package static let contentRules = 1
}

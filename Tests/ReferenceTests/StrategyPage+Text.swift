import Timelines

extension StrategyPage {
    static let introduction = """
        # Strategies

        A *strategy* says which entries a timeline has and when it is made again; a configuration names one, with
        options or without: `"strategy": "events"`, `"strategy": {"name": "events", "days": 3}`. Without one it has its
        kind's; else `status` where it names a vehicle, else `events`. This page is written from the declarations in
        `Sources/Timelines` (`make reference`), and every example on it is run by the tests.

        What holds for all of them:

        - The first entry is the one *in force* when the timeline is made. Where a strategy's first date is yet to
          come, a `tick` of the present stands before it; WidgetKit's examples leave that out, and so may a client that
          drops a first `tick` dated `generatedAt`.
        - At most 5 entries for `systemSmall`, 10 for `systemMedium`, which is the default, 20 for every other family;
          `maximumEntries` (1 to 500) overrides that. What does not fit goes from the far end, `day` entries first but
          for that of the next local midnight, which stays, so that "tomorrow" never stays on screen; and the next
          timeline is due when the first entry that went would be seen, where that is sooner than the policy says: a
          trimmed timeline may be `after` a date where WidgetKit's example is `atEnd`. A higher `maximumEntries` gives
          the example's policy.
        - Local times and midnights are those of the configuration's `timeZone`. A time of day or a midnight that clocks
          skip is the first instant after the gap; one that they show twice is taken the first time. (Starts and ends of
          events follow RFC 5545: in a gap the offset before it counts, and an end that comes before its start then
          means no length.) Weeks and days of a duration are
          local days and are counted first.
        - `parameters` are carried into every entry, with the defaults of the kind and then of the strategy.
        - `"mode": "lowFrequency"` slows all down; `"signedIn": false` shows one `signedOut` entry, except in `preview`.
        - At one instant `end` comes first, then `preEvent`, `start` and all others; the last one is what is seen.
        - An unknown option, or a value out of bounds, makes one `error` entry that names the key and what is allowed.
        - A configuration that is deleted (a tombstone) has its timeline deleted, too.

        `tideline preview` shows all this for a configuration of your own, without a broker; what is wrong with it is
        told with file and line.

        """

    static let schedules = """
        For the strategy `schedule`: `"schedule": {"type": "periodic", "from": "2026-11-20T09:00:00Z", "by": "PT5M"}`.
        They are SwiftUI's timeline schedules, by their names there.

        """

    static let kinds = """
        # Kinds that users configure

        A kind that is declared in the settings has a title and a type for each parameter, and defaults: what
        WidgetKit asks a user for when a widget is edited. A configuration that leaves one out gets the default; a
        value of another type, or none where there is no default, makes an `error` entry. Families that the kind does
        not support are refused in the same way. A type is `string`, `number`, `boolean` or `array`; what an array holds
        is said by `items`, a `string` where nothing is said, and an element of another type is named by its place.

        ## Example: a game character


        """

    static let gameCharacter = StrategyReference(
        summary: "Who the character is, is said by parameters; the timeline carries them.",
        discussion: """
            Of its four parameters this configuration chooses two; `avatar` and `health` have their defaults.
            """,
        example: .init(
            """
            {"configurationId": "hero-1", "kind": "GameCharacter", "parameters": {"name": "Spouty", \
            "alliances": ["Sea", "Sky"]}, "strategy": {"name": "fixedInterval", "span": "PT30M"}}
            """, at: "2026-11-20T10:00:00Z",
            kinds: """
                kinds:
                  GameCharacter:
                    displayName: Game character
                    supportedFamilies: [systemSmall, systemMedium]
                    parameters:
                      name: {title: Name, type: string}
                      avatar: {title: Avatar, type: string, default: Player 1}
                      alliances: {title: Alliances, type: array, items: string, default: []}
                      health: {title: Health, type: number, default: 100.0}
                """))
}

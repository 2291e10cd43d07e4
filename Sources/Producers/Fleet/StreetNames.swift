/// Names of the made-up city's streets.
enum StreetNames {
    static func street(_ row: Int) -> String { "\(words[row % words.count]) Street" }
    static func avenue(_ column: Int) -> String { "\(words[(column * 7 + 31) % words.count]) Avenue" }

    private static let words = [
        "Acorn", "Alder", "Amber", "Anchor", "Arbour", "Ash", "Aspen", "Barley", "Beacon", "Beech", "Birch", "Bridge",
        "Brook", "Canal", "Castle", "Cedar", "Chapel", "Cherry", "Chestnut", "Clover", "Coopers", "Copper", "Cypress",
        "Elder", "Elm", "Falcon", "Fern", "Ferry", "Foundry", "Garden", "Granary", "Granite", "Harbour", "Hawthorn",
        "Hazel", "Heron", "Hill", "Holly", "Juniper", "Kiln", "Lantern", "Larch", "Laurel", "Lime", "Linden", "Maple",
        "Market", "Meadow", "Mill", "Moss", "Oak", "Orchard", "Park", "Pine", "Poplar", "Quarry", "River", "Rowan",
        "Sawmill", "Station", "Tanners", "Willow", "Windmill", "Yew",
    ]
}

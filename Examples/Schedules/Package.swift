// swift-tools-version: 6.3
import PackageDescription

let package = Package(
    name: "Schedules",
    dependencies: [.package(name: "tideline", path: "../..")],
    targets: [
        .executableTarget(
            name: "tides",
            dependencies: [.product(name: "Timelines", package: "tideline")],
            swiftSettings: [.treatAllWarnings(as: .error)])
    ]
)

// swift-tools-version: 6.3
import PackageDescription

let package = Package(
    name: "Reader",
    platforms: [.macOS(.v13)],
    dependencies: [.package(name: "tideline", path: "../..")],
    targets: [
        .executableTarget(
            name: "reader",
            dependencies: [.product(name: "TidelineClient", package: "tideline")],
            swiftSettings: [.treatAllWarnings(as: .error)])
    ]
)

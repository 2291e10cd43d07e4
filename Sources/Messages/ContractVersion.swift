/// The versions that others build on, in one place. `schemas/` says the same; the tests hold both to this.
package enum ContractVersion {
    /// Of this release (Semantic Versioning): `tideline --version`, and `info.version` of `schemas/asyncapi.yaml`.
    package static let release = "0.1.0"

    /// Of the form of messages: the number at the end of `ce_type` and of each schema's `$id`. It rises only with a
    /// change that breaks for those who knew the form before; added fields and phases do not.
    package static let format = 1

    /// A schema's `$id`. A name, not an address: nothing is fetched from it.
    package static func schemaId(_ name: String) -> String { "urn:tideline:schema:\(name):\(format)" }

    /// The `ce_type` of an output.
    package static func eventType(_ name: String) -> String { "tideline.\(name).v\(format)" }
}

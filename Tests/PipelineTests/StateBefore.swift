import Foundation
import RecordLog

/// The internal topics of a pipeline as release 0.1.0 left them before it read positions, written by that release: the
/// changelog, compacted, and the exchange. Two partitions; two vehicles, a calendar with an event, a widget of each.
enum StateBefore {
    struct Stored: Sendable {
        var partition: Partition
        var offset: Offset
        var key: [UInt8]
        var value: [UInt8]
    }

    /// Reads lines of partition, offset, and key and value in Base64.
    private static func records(_ text: String) -> [Stored] {
        text.split(separator: "\n").map { line in
            let parts = line.split(separator: " ")
            func bytes(_ part: Substring) -> [UInt8] { [UInt8](Data(base64Encoded: String(part)) ?? Data()) }
            return Stored(
                partition: Partition(Int32(parts[0]) ?? -1), offset: Offset(Int64(parts[1]) ?? -1),
                key: bytes(parts[2]), value: bytes(parts[3]))
        }
    }

    /// The changelog, `pipeline.state`.
    static let changelog = records(
        """
        0 2 AXYy AnYyAAAABAEAAAAAAAAAAAAAAAABQNeNrZwBAAAAAQABAQAAAAE=
        0 5 A3dvcmsvQQ== cHsiY2FsZW5kYXJJZCI6ICJ3b3JrIiwgInVpZCI6ICJBIiwgInRpdGxlIjogIkEiLCAic3RhcnQiOiAiMjA\
        yNi0wMy0wMlQxMjowMDowMFoiLCAiZW5kIjogIjIwMjYtMDMtMDJUMTM6MDA6MDBaIn0AAQA=
        0 6 BHdvcms= AQEBAQAA
        0 9 BTQ6d29ya2V2ZW50cw== AgNVVEMAAAEBBHdvcmsCAAAAAAAAAABAdxsAAAAAAAEqKiqMNOcOAQABAJT+sJwBAAA=
        0 12 AA== AxF2ZWhpY2xlLnRlbGVtZXRyeQ9jYWxlbmRhci5ldmVudHMVd2lkZ2V0LmNvbmZpZ3VyYXRpb25zBP8ABAAAAAAAAA\
        AAAAIAAAAAAAAAAQAAAAAAAAAAAAIAAAAAAAAAAAA=
        1 8 B3N1YnNjcmlwdGlvbnM= Ag==
        1 11 BmV2ZW50cw== AUZ7ImNvbmZpZ3VyYXRpb25JZCI6ICJldmVudHMiLCAia2luZCI6ICJEZW1vIiwgImNhbGVuZGFySWRzIj\
        ogWyJ3b3JrIl19AQIBAQIBAQR3b3JrAQABAQABBHdvcmsBQQABQQAAAGZrrpwBAAAAgFSirpwBAAAAAAABAPAktpwBAAABAQEAAA\
        EAAAAAAAAAAQAAAAAAAAABAKyPrZwBAAABAJT+sJwBAABqeHTrIHqawJ5H2B6wEsIUBQA42KucAQAAskDVWTOrDNvQeM4/ylUDBQ\
        DA7k+unAEAADBvobLIEbydPCYfbKmwi4cAAGZrrpwBAABsMdlryc5XzTbt9XlOg7/4AIBUoq6cAQAA6rRfKXWmikHzC0s+MTCCBw\
        AAlP6wnAEAANn22ogRX8LYqVeUM59rdvsAAQCU/rCcAQAAAAEAAAEAmH8zAAAAAACsj62cAQAAAAAAAAAAAAAAAAAAAQAAAA==
        1 14 AXYx AnYxAAAABAEAAAAAAAAAAAAAAAABAKyPrZwBAAAAAQACAQAAAQE=
        1 15 AjI6djFzdGF0dXM= AQABAnYxAQAAAAAAAAAAwNQBAAAAAAAAAAAAAAAAAKC7DQAAAAAAA1VUQwFAdxsAAAAAAAAAAQCsj6\
        2cAQAABAAAAgABoGedrZwBAAA=
        1 16 BnN0YXR1cw== AUB7ImNvbmZpZ3VyYXRpb25JZCI6ICJzdGF0dXMiLCAia2luZCI6ICJEZW1vIiwgInZlaGljbGVJZCI6IC\
        J2MSJ9AQIBAAEBAAJ2MQEAAgACAAAAAAAAAAIAAAAAAAAAAQCsj62cAQAAAaBnna2cAQAAanh06yB6msCeR9gesBLCFAIArI+tnA\
        EAAB8TVlog18is9q1/u4Ohpz8A4N64rZwBAACdRx5yFmgkEnC/aWVHXY0nAQGgZ52tnAEAAAACAAABADxZLgAAAAAArI+tnAEAAA\
        AAAAAAAAAAAAAAAAEAAAA=
        1 17 CQZzdGF0dXMERGVtbwZzdGF0dXM= AQA8WS4AAAAAAKyPrZwBAAAAAA==
        1 18 AA== AxF2ZWhpY2xlLnRlbGVtZXRyeQ9jYWxlbmRhci5ldmVudHMVd2lkZ2V0LmNvbmZpZ3VyYXRpb25zBP8BBAAAAAAAAA\
        AAAQEAAAAAAAAAAQEBAAAAAAAAAAIBAgAAAAAAAAA=
        """)

    /// The exchange. All of it was read; each record is followed by the marker of its transaction.
    static let exchange = records(
        """
        0 0 d29yaw== AAEBAACsj62cAQAAAQZ3b3JrL0EBcHsiY2FsZW5kYXJJZCI6ICJ3b3JrIiwgInVpZCI6ICJBIiwgInRpdGxlIjo\
        gIkEiLCAic3RhcnQiOiAiMjAyNi0wMy0wMlQxMjowMDowMFoiLCAiZW5kIjogIjIwMjYtMDMtMDJUMTM6MDA6MDBaIn0A
        0 2 d29yaw== AQEEd29yawAGZXZlbnRzAgADVVRDAAABAQR3b3JrAgAAAAAAAAAAQHcbAAAAAAA=
        1 0 ZXZlbnRz AQIGZXZlbnRzAAEEd29yawIBAACsj62cAQAAAAEEd29yawFBAAFBAAAAZmuunAEAAACAVKKunAEAAAAAAAEA8CS\
        2nAEAAAEBAQAAAA==
        1 2 djE= AAAAAQCsj62cAQAAAQJ2MQFYeyJ2ZWhpY2xlSWQiOiAidjEiLCAib2JzZXJ2ZWRBdCI6ICIyMDI2LTAzLTAyVDA4OjA\
        wOjAwWiIsICJpZ25pdGlvbiI6IGZhbHNlLCAic3BlZWQiOiAwfQA=
        """)
}

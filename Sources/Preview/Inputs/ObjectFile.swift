internal import Messages
internal import Producers

/// The objects of a JSON file that say whose record they are, one after the other. What is wrong on the way is noted,
/// and reading goes on behind it.
struct ObjectFile {
    let file: String
    private let content: JSONReplay.Content
    private var objects: JSONObjectStream?

    init(_ file: String, of content: JSONReplay.Content, problems: inout [InputProblem]) {
        self.file = file
        self.content = content
        do throws(InputProblem) {
            objects = try JSONObjectStream(file: file)
        } catch {
            problems.append(error)
        }
    }

    mutating func next(problems: inout [InputProblem]) -> (object: JSONObject, record: SourceRecord)? {
        while let objects {
            do throws(InputProblem) {
                guard let object = try objects.next() else { return nil }
                do throws(InputProblem) {
                    return (object, try content.record(object, of: file))
                } catch {
                    problems.append(error)
                }
            } catch {
                problems.append(error)
                if (try? objects.skipFault()) != true { self.objects = nil }
            }
        }
        return nil
    }

    func problem(_ object: JSONObject, _ problem: MessageProblem) -> InputProblem {
        InputProblem(file: file, line: object.line(of: problem.field), reason: problem.description)
    }
}

extension JSONObject {
    /// The line of a field as problems name it: `series.fuel[2].at`.
    func line(of field: String?) -> Int {
        line(of: (field ?? "").split { $0 == "." || $0 == "[" }.map { String($0) })
    }
}

extension [UInt8] {
    /// Calls `read` with the bytes, without a copy.
    func withBytes<Result>(
        _ read: (UnsafeRawBufferPointer) throws(MessageProblem) -> Result
    ) throws(MessageProblem) -> Result {
        try withUnsafeBufferPointer { bytes throws(MessageProblem) in try read(UnsafeRawBufferPointer(bytes)) }
    }
}

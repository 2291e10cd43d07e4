import CZlib

/// Unpacks gzip data, of one member or several (RFC 1952 section 2.2), as it comes.
final class GzipInflater {
    // zlib keeps the stream's address inside its state, so it must never move.
    private let stream: UnsafeMutablePointer<z_stream>
    private var output = [UInt8](repeating: 0, count: 1 << 17)

    /// The last member is complete: here the data may end.
    private(set) var isAtEnd = false

    struct Failure: Error {
        var reason: String
    }

    init() {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        // 16 asks for the gzip wrapper instead of zlib's own.
        let result = inflateInit2_(stream, MAX_WBITS + 16, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        precondition(result == Z_OK, "zlib of this version does not start: \(result)")
    }

    deinit {
        inflateEnd(stream)
        stream.deallocate()
    }

    /// Unpacks `input` and appends to `buffer`.
    func inflate(_ input: ArraySlice<UInt8>, into buffer: inout [UInt8]) throws(Failure) {
        var offset = input.startIndex
        while offset < input.endIndex {
            if isAtEnd {
                inflateReset(stream)
                isAtEnd = false
            }
            offset += try step(input[offset...], into: &buffer)
        }
    }

    /// Unpacks to the end of the input or of a member.
    ///
    /// - Returns: how many bytes of the input were taken.
    private func step(_ input: ArraySlice<UInt8>, into buffer: inout [UInt8]) throws(Failure) -> Int {
        var result = Z_OK
        let taken = input.withUnsafeBufferPointer { bytes in
            stream.pointee.next_in = UnsafeMutablePointer(mutating: bytes.baseAddress)
            stream.pointee.avail_in = UInt32(bytes.count)
            repeat {
                output.withUnsafeMutableBufferPointer { room in
                    stream.pointee.next_out = room.baseAddress
                    stream.pointee.avail_out = UInt32(room.count)
                    result = CZlib.inflate(stream, Z_NO_FLUSH)
                }
                buffer.append(contentsOf: output[..<(output.count - Int(stream.pointee.avail_out))])
            } while result == Z_OK && stream.pointee.avail_out == 0
            return bytes.count - Int(stream.pointee.avail_in)
        }
        switch result {
        case Z_STREAM_END: isAtEnd = true
        // Z_BUF_ERROR only says that there was nothing left to do.
        case Z_OK, Z_BUF_ERROR: break
        default: throw Failure(reason: stream.pointee.msg.map { String(cString: $0) } ?? "zlib error \(result)")
        }
        return taken
    }
}

internal import CZlib
import Synchronization

/// Compresses as gzip (RFC 1952), on the thread that calls. A few streams of zlib, 256 KiB each, are kept for the next.
final class GzipCompressor: Sendable {
    private let idle = Mutex<[Deflater]>([])

    func compressed(_ bytes: SharedBytes) -> SharedBytes {
        let deflater = idle.withLock { $0.popLast() } ?? Deflater()
        defer { idle.withLock { $0.append(deflater) } }
        return deflater.compressed(bytes)
    }
}

/// One stream of zlib. One thread may use it after another, not two at once.
private final class Deflater: @unchecked Sendable {
    private let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)

    init() {
        stream.initialize(to: z_stream())
        // 16 more bits of window mean gzip. The fastest level: texts are still a quarter of their size.
        let result = deflateInit2_(
            stream, 1, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        precondition(result == Z_OK, "no memory to compress with")
    }

    deinit {
        deflateEnd(stream)
        stream.deallocate()
    }

    func compressed(_ bytes: SharedBytes) -> SharedBytes {
        deflateReset(stream)
        let bound = Int(deflateBound(stream, UInt(bytes.count)))
        let output = [UInt8](unsafeUninitializedCapacity: bound) { output, count in
            stream.pointee.next_in = UnsafeMutablePointer(
                mutating: bytes.bytes.bindMemory(to: UInt8.self).baseAddress)
            stream.pointee.avail_in = UInt32(bytes.count)
            stream.pointee.next_out = output.baseAddress
            stream.pointee.avail_out = UInt32(bound)
            let result = deflate(stream, Z_FINISH)
            precondition(result == Z_STREAM_END, "what deflateBound names is enough for the whole")
            count = bound - Int(stream.pointee.avail_out)
        }
        return SharedBytes(output)
    }
}

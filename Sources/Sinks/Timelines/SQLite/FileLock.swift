import Glibc

/// The lock of a file that has one owner at a time, among processes, too. It ends with its owner, however that ends.
final class FileLock {
    private let descriptor: Int32

    /// Makes the file if it is missing, and locks it.
    init(_ path: String) throws(SinkError) {
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else {
            throw .refused(SinkFault(place: path, operation: "open", reason: String(cString: strerror(errno))))
        }
        let code = lockExclusively(descriptor)
        guard code == 0 else {
            close(descriptor)
            let reason = code == EWOULDBLOCK ? "another sink writes there" : String(cString: strerror(code))
            throw .refused(SinkFault(place: path, operation: "lock", reason: reason))
        }
    }

    deinit { close(descriptor) }
}

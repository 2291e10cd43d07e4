import Glibc

/// The allocator of the process.
enum Allocator {
    /// mimalloc's, where the program is linked with it.
    private static let collect: (@convention(c) (Bool) -> Void)? = dlsym(nil, "mi_collect").map {
        unsafeBitCast($0, to: (@convention(c) (Bool) -> Void).self)
    }

    /// The C library's own.
    private static let trim: (@convention(c) (Int) -> Int32)? = dlsym(nil, "malloc_trim").map {
        unsafeBitCast($0, to: (@convention(c) (Int) -> Int32).self)
    }

    /// Gives memory back to the system that the calling thread, or threads that have ended, have freed. May take
    /// milliseconds for each gigabyte.
    static func release() {
        if let collect { collect(true) } else { _ = trim?(0) }
    }
}

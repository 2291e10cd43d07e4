import Glibc

extension Directory {
    /// Dates a file that is open, and is to take another one's place, at least a second after that one.
    ///
    /// A file that is that much newer keeps its times, and so does one that takes no other file's place.
    ///
    /// - Parameters:
    ///   - file: the descriptor of the new file, which has been written.
    ///   - temporary: its name, for errors.
    ///   - name: the name of the file that it will replace.
    func setTimeOfModification(of file: Int32, _ temporary: String, after name: String) throws(SinkError) {
        var (old, new) = (stat(), stat())
        guard fstatat(descriptor, name, &old, AT_SYMLINK_NOFOLLOW) == 0 else {
            if errno == ENOENT { return }
            throw failure("look for", name)
        }
        guard fstat(file, &new) == 0 else { throw failure("write", temporary) }
        let seconds = Self.seconds(of: old.st_mtim)
        if Self.seconds(of: new.st_mtim) > seconds { return }
        var later = old.st_mtim
        withUnsafeMutableBytes(of: &later) { $0.storeBytes(of: seconds + 1, as: time_t.self) }
        guard futimens(file, [later, later]) == 0 else { throw failure("write", temporary) }
    }

    /// Returns the first member of a `timespec`, `tv_sec`.
    // By its place: of which module the members are depends on what the compiler has beside this file, and so does
    // whether it takes their names.
    private static func seconds<Time: BitwiseCopyable>(of time: Time) -> time_t {
        withUnsafeBytes(of: time) { $0.load(as: time_t.self) }
    }
}

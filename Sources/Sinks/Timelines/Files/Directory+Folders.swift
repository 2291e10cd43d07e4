import Glibc

/// Folders of a directory, one level deep.
extension Directory {
    /// Returns the names of the folders, ascending.
    func folders() throws(SinkError) -> [String] {
        var folders: [String] = []
        for name in try names() {
            var status = stat()
            guard fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
                // Somebody else's file that has gone meanwhile.
                if errno == ENOENT { continue }
                throw failure("look for", name)
            }
            if status.st_mode & S_IFMT == S_IFDIR { folders.append(name) }
        }
        return folders
    }

    /// Makes a folder if it is missing.
    func makeFolder(_ name: String) throws(SinkError) {
        guard mkdirat(descriptor, name, 0o755) == 0 || errno == EEXIST else { throw failure("create", name) }
    }

    /// Removes a folder if nothing is in it.
    ///
    /// - Returns: false if something is.
    @discardableResult
    func removeFolder(_ name: String) throws(SinkError) -> Bool {
        if unlinkat(descriptor, name, AT_REMOVEDIR) == 0 || errno == ENOENT { return true }
        guard errno == ENOTEMPTY || errno == EEXIST else { throw failure("remove", name) }
        return false
    }

    /// Makes names in a folder durable; one that is gone has none.
    func synchronise(_ folder: String) throws(SinkError) {
        let file = openat(descriptor, folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard file >= 0 else {
            if errno == ENOENT { return }
            throw failure("open", folder)
        }
        defer { close(file) }
        guard fsync(file) == 0 else { throw failure("write", folder) }
    }
}

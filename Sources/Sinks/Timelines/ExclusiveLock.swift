import Glibc

/// Locks an open file or directory for its owner alone, among processes, too.
///
/// Who was just killed, or is starting a child process at this moment, holds its locks a little longer: so it is tried
/// for a second. Blocks the calling thread.
///
/// - Returns: 0, or the number of the error: `EWOULDBLOCK` if another owner has it.
func lockExclusively(_ descriptor: Int32) -> Int32 {
    var attempts = 20
    while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
        let code = errno
        guard code == EWOULDBLOCK, attempts > 0 else { return code }
        attempts -= 1
        usleep(50_000)
    }
    return 0
}

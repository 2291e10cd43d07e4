/// If restoring tasks keeps this iteration's thread busy: then it waits for no input.
struct RestoreLoad {
    private(set) var isBusy = false

    mutating func begin() { isBusy = false }

    /// Where changelogs gave records, there are mostly more.
    mutating func note(records: Int) { if records > 0 { isBusy = true } }

    mutating func noteDeriving() { isBusy = true }
}

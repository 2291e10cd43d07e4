/// What the open transaction has done to a store, for the task that ends the transaction.
///
/// Most transactions touch few of a task's stores. A task asks here whether it has to call a store at all: these are
/// two loads, while a call through `ChangelogStore` looks the store's generic type up first. Belongs to one store, and
/// to the thread of its task.
public final class StoreActivity {
    /// True if the transaction has written a value: the changelog and the commit need it.
    public internal(set) var isWritten: Bool {
        get { written }
        set { written = newValue }
    }

    /// True if something was decoded, or may have become vacant, since slots were given back last.
    public internal(set) var isTouched: Bool {
        get { touched }
        set { touched = newValue }
    }

    @usableFromInline final var written = false
    @usableFromInline final var touched = false

    public init() {}
}

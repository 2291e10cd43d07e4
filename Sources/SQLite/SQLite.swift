// SQLite: libsqlite3 in Swift. A database file has one owner, which prepares statements, binds values and steps through
// rows; what fails says so in SQLite's words.
//
// It must not know what is stored. There is no pool and no thread of its own: calls block, and belong to the owner's
// thread.
//
// Begin with `SQLiteDatabase`.

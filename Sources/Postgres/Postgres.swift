// Postgres: libpq in Swift. A connection has one owner, which sends statements, several at once in a pipeline, or rows
// by COPY, and reads what the server answers; what fails says so in the server's words, and by its SQLSTATE what to do
// next.
//
// It must not know what is stored. There is no pool and no thread of its own: calls block, and belong to the owner's
// thread. None blocks for ever: a server that says nothing is given up.
//
// Begin with `PostgresAddress` and `PostgresConnection`.

// Redis: hiredis in Swift. A connection has one owner, which appends commands and takes their replies in that order;
// what fails says whether the server is away, denies it, or refuses that command.
//
// It must not know what is stored. There is no pool and no thread of its own: calls block, within their time-outs, and
// belong to the owner's thread. The program has to ignore SIGPIPE: hiredis writes to connections that may be closed.
//
// Begin with `RedisConnection`.

// Access: who calls, and what that caller may do: bearer tokens and JSON Web Tokens, scopes, confinement.
//
// It must not know HTTP, routes or topics: a credential goes in, a caller comes out.
//
// Begin with the caller and its permissions.

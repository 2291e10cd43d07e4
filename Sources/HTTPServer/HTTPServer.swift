// HTTPServer: HTTP/1.1 on libmicrohttpd: requests, responses, event streams, TLS, limits.
//
// It must not know Tideline: no routes, no topics, no tokens.
//
// Begin with the server; names are those of Hummingbird, as far as they go.

// libmicrohttpd for Swift, which cannot call variadic functions nor read a va_list.
#ifndef CMICROHTTPD_H
#define CMICROHTTPD_H

#include <microhttpd.h>

// A line that the library logs, without its line feed. Called by any of its threads.
typedef void (*cmhd_log)(void *context, const char *line);

// The request target as it came, before anything is decoded. The result is the request's context.
typedef void *(*cmhd_target_received)(void *context, const char *target, struct MHD_Connection *connection);

// All that a daemon is started with. The context is the first argument of every callback.
struct cmhd_configuration {
    // Bound and listening.
    int listen_socket;
    unsigned int threads;
    size_t thread_stack_bytes;
    // Of one connection: the request's head and what is being sent must fit.
    size_t connection_memory_bytes;
    // Of each thread.
    unsigned int connections;
    unsigned int inactivity_seconds;
    // Texts in PEM; both or neither.
    const char *certificate;
    const char *key;
    const char *tls_priorities;
    void *context;
    MHD_AcceptPolicyCallback accept;
    MHD_AccessHandlerCallback handle;
    MHD_RequestCompletedCallback completed;
    MHD_NotifyConnectionCallback connection_changed;
    cmhd_target_received target_received;
    cmhd_log log;
};

// An epoll daemon with a pool of threads, or NULL where it cannot start; the reason was logged.
// The configuration must stay where it is until the daemon is stopped.
struct MHD_Daemon *cmhd_start(const struct cmhd_configuration *configuration);

// The pointer that connection_changed has set.
void *cmhd_socket_context(struct MHD_Connection *connection);
int cmhd_socket(struct MHD_Connection *connection);
const struct sockaddr *cmhd_client_address(struct MHD_Connection *connection);

#endif

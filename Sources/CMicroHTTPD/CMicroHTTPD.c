#include "CMicroHTTPD.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void log_line(void *context, const char *format, va_list arguments) {
    const struct cmhd_configuration *configuration = context;
    char line[1024];
    vsnprintf(line, sizeof line, format, arguments);
    size_t length = strlen(line);
    while (length > 0 && line[length - 1] == '\n') line[--length] = 0;
    configuration->log(configuration->context, line);
}

// What is decoded, and how, is Swift's.
static size_t leave_escaped(void *context, struct MHD_Connection *connection, char *text) {
    (void)context;
    (void)connection;
    return strlen(text);
}

struct MHD_Daemon *cmhd_start(const struct cmhd_configuration *c) {
    struct MHD_OptionItem options[20] = {
        // First, so that nothing is printed by the library itself.
        {MHD_OPTION_EXTERNAL_LOGGER, (intptr_t)&log_line, (void *)c},
        {MHD_OPTION_LISTEN_SOCKET, c->listen_socket, NULL},
        {MHD_OPTION_CONNECTION_MEMORY_LIMIT, (intptr_t)c->connection_memory_bytes, NULL},
        {MHD_OPTION_CONNECTION_LIMIT, c->connections, NULL},
        {MHD_OPTION_CONNECTION_TIMEOUT, c->inactivity_seconds, NULL},
        {MHD_OPTION_THREAD_STACK_SIZE, (intptr_t)c->thread_stack_bytes, NULL},
        {MHD_OPTION_STRICT_FOR_CLIENT, 1, NULL},
        {MHD_OPTION_URI_LOG_CALLBACK, (intptr_t)c->target_received, c->context},
        {MHD_OPTION_UNESCAPE_CALLBACK, (intptr_t)&leave_escaped, NULL},
        {MHD_OPTION_NOTIFY_COMPLETED, (intptr_t)c->completed, c->context},
        {MHD_OPTION_NOTIFY_CONNECTION, (intptr_t)c->connection_changed, c->context},
    };
    int count = 11;
    unsigned int flags = MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG | MHD_USE_TURBO;
    // The library knows no pool of one.
    if (c->threads > 1) options[count++] = (struct MHD_OptionItem){MHD_OPTION_THREAD_POOL_SIZE, c->threads, NULL};
    if (c->certificate) {
        flags |= MHD_USE_TLS;
        options[count++] = (struct MHD_OptionItem){MHD_OPTION_HTTPS_MEM_CERT, 0, (void *)c->certificate};
        options[count++] = (struct MHD_OptionItem){MHD_OPTION_HTTPS_MEM_KEY, 0, (void *)c->key};
        options[count++] = (struct MHD_OptionItem){MHD_OPTION_HTTPS_PRIORITIES, 0, (void *)c->tls_priorities};
    }
    options[count] = (struct MHD_OptionItem){MHD_OPTION_END, 0, NULL};
    return MHD_start_daemon(
        flags, 0, c->accept, c->context, c->handle, c->context, MHD_OPTION_ARRAY, options, MHD_OPTION_END);
}

void *cmhd_socket_context(struct MHD_Connection *connection) {
    return MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT)->socket_context;
}

int cmhd_socket(struct MHD_Connection *connection) {
    return MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
}

const struct sockaddr *cmhd_client_address(struct MHD_Connection *connection) {
    return MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS)->client_addr;
}

// epoll(7), which Swift's Glibc module leaves out.
#include <stdint.h>
#include <sys/epoll.h>

enum { cepoll_events_max = 512 };

static inline int cepoll_create(void) { return epoll_create1(EPOLL_CLOEXEC); }

// Watches a socket for something to read; cepoll_wait names it by the index. Returns 0, or -1.
static inline int cepoll_add(int poller, int socket, uint64_t index) {
    struct epoll_event event = {.events = EPOLLIN, .data = {.u64 = index}};
    return epoll_ctl(poller, EPOLL_CTL_ADD, socket, &event);
}

// Writes the indexes of sockets that can be read, cepoll_events_max at most, and returns how many there are.
static inline int cepoll_wait(int poller, uint64_t *indexes, int milliseconds) {
    struct epoll_event events[cepoll_events_max];
    int count = epoll_wait(poller, events, cepoll_events_max, milliseconds);
    for (int i = 0; i < count; i++) indexes[i] = events[i].data.u64;
    return count < 0 ? 0 : count;
}

// librdkafka for Swift, and what its version of Debian 12 lacks.
#ifndef CRDKAFKA_H
#define CRDKAFKA_H

#include <librdkafka/rdkafka.h>
#include <librdkafka/rdkafka_mock.h>
#include <stdint.h>

// How long librdkafka's main thread sleeps when its next timer is due in `microseconds`: the least number of whole
// milliseconds that is not less, in microseconds.
int64_t crdkafka_sleep(int64_t microseconds);

#endif

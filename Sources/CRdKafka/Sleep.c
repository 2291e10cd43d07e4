#include "CRdKafka.h"

// The main thread of librdkafka sleeps in whole milliseconds. Before 2.4 it cuts off the rest of the time to its next
// timer, so in the last millisecond it does not sleep at all, and asks again and again. A transaction sets two timers
// of a millisecond: each transaction took two milliseconds of a processor core, half of what the pipeline costs at 200
// changes a second. librdkafka 2.4 rounds up (its pull request 4671). This does the same for the versions before it,
// and changes nothing for those after it. A timer is then late by less than a millisecond.
//
// The function is librdkafka's own and not exported, so librdkafka is linked statically, with `--wrap`. If either is
// missing, `__real_rd_kafka_timers_next` is undefined and the program does not link.
int64_t __real_rd_kafka_timers_next(void *timers, int longest, int lock);
int64_t __wrap_rd_kafka_timers_next(void *timers, int longest, int lock);

int64_t crdkafka_sleep(int64_t microseconds) { return (microseconds + 999) / 1000 * 1000; }

int64_t __wrap_rd_kafka_timers_next(void *timers, int longest, int lock) {
    return crdkafka_sleep(__real_rd_kafka_timers_next(timers, longest, lock));
}

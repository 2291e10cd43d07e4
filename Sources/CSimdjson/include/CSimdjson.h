// JSON for the hot path: simdjson behind a C interface, so that Swift needs no C++ interoperability.
//
// A parser belongs to one thread at a time. What a call lends lives inside the parser until its next call.
#ifndef CSIMDJSON_H
#define CSIMDJSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__clang__)
#define CSIMDJSON_CLOSED __attribute__((enum_extensibility(closed)))
#else
#define CSIMDJSON_CLOSED
#endif

typedef struct csimdjson_parser csimdjson_parser;

/// Null where memory is short.
csimdjson_parser *csimdjson_parser_new(void);
void csimdjson_parser_free(csimdjson_parser *parser);

/// UTF-8 without terminator, escapes resolved. A null `start` means that there is none.
typedef struct csimdjson_text {
    const char *start;
    size_t length;
} csimdjson_text;

static inline bool csimdjson_text_equals(csimdjson_text text, const void *bytes, size_t length) {
    return text.length == length && memcmp(text.start, bytes, length) == 0;
}

typedef enum CSIMDJSON_CLOSED csimdjson_problem {
    csimdjson_problem_none,
    csimdjson_problem_not_json,
    csimdjson_problem_not_an_object,
    csimdjson_problem_too_deep,
    csimdjson_problem_no_memory,
    // Each of these names a field.
    csimdjson_problem_missing,
    csimdjson_problem_wrong_type,
    csimdjson_problem_not_allowed,
} csimdjson_problem;

// Any value ---------------------------------------------------------------------------------------------------------

typedef enum CSIMDJSON_CLOSED csimdjson_type {
    csimdjson_type_null,
    csimdjson_type_false,
    csimdjson_type_true,
    csimdjson_type_number,
    csimdjson_type_string,
    csimdjson_type_array,
    csimdjson_type_object,
} csimdjson_type;

/// One value of a document laid flat in the order of the text. The elements of an array follow it; so do the members
/// of an object, each as a string (the key) and its value.
typedef struct csimdjson_node {
    csimdjson_type type;
    /// Elements of an array, members of an object.
    uint32_t count;
    /// A string without quotes and escapes, or a number as it is written.
    csimdjson_text text;
} csimdjson_node;

typedef struct csimdjson_document {
    csimdjson_problem problem;
    size_t count;
    const csimdjson_node *nodes;
} csimdjson_document;

/// Reads an object or an array, no deeper than 128 levels. Valid until the parser's next call.
csimdjson_document csimdjson_read_document(csimdjson_parser *parser, const void *bytes, size_t length);

/// A member of an object. What is in an array or an object is not told.
typedef struct csimdjson_member {
    csimdjson_text key;
    csimdjson_type type;
    /// A string's content.
    csimdjson_text text;
    /// A number that is written without fraction and exponent, and has 64 bits at most.
    bool is_integer;
    int64_t integer;
} csimdjson_member;

typedef struct csimdjson_members {
    /// False if the bytes are no object, or one that this quick way does not read: `csimdjson_read_document` knows which.
    bool is_read;
    size_t count;
    const csimdjson_member *members;
} csimdjson_members;

/// Reads the members of an object, in the order of the text; all of the text is checked. A third of the time that
/// `csimdjson_read_document` takes, for nothing is laid out that nobody looks at. Valid until the parser's next call.
csimdjson_members csimdjson_read_members(csimdjson_parser *parser, const void *bytes, size_t length);

// Telemetry ---------------------------------------------------------------------------------------------------------

typedef enum CSIMDJSON_CLOSED csimdjson_field {
    csimdjson_field_vehicle_id,
    csimdjson_field_observed_at,
    csimdjson_field_status,
    csimdjson_field_ignition,
    csimdjson_field_speed,
    csimdjson_field_latitude,
    csimdjson_field_longitude,
    csimdjson_field_heading,
    csimdjson_field_address,
    csimdjson_field_custom_address_icon,
    csimdjson_field_registration,
    csimdjson_field_alias,
    csimdjson_field_series,
} csimdjson_field;

typedef enum CSIMDJSON_CLOSED csimdjson_status {
    csimdjson_status_moving,
    csimdjson_status_idling,
    csimdjson_status_stopped,
    csimdjson_status_ignition_off,
    csimdjson_status_charging,
    csimdjson_status_offline,
} csimdjson_status;

/// One telemetry record. A field's member means something only where its bit is in `given`.
typedef struct csimdjson_telemetry {
    csimdjson_problem problem;
    csimdjson_field problem_field;
    /// Bit (1 << csimdjson_field): the field is there, with a value.
    uint32_t given;
    /// Bit (1 << csimdjson_field): the field is there and null.
    uint32_t cleared;
    csimdjson_status status;
    bool ignition;
    /// Milliseconds since 1970.
    int64_t observed_at;
    double speed, latitude, longitude, heading;
    csimdjson_text vehicle_id, address, custom_address_icon, registration, alias;
    /// An object; what is in it is not checked.
    const csimdjson_node *series;
    size_t series_count;
} csimdjson_telemetry;

/// Reads one record. All of it must be valid JSON, ignored fields included; of a field that comes twice the last
/// counts. The bytes need no padding. Never null; valid until the parser's next call.
const csimdjson_telemetry *csimdjson_read_telemetry(csimdjson_parser *parser, const void *bytes, size_t length);

#ifdef __cplusplus
}
#endif

#endif

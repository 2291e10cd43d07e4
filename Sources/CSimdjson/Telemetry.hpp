// What both readers of telemetry know of its fields.
#pragma once

#include "CSimdjson.h"

#include <cstring>
#include <iterator>
#include <string_view>

namespace csimdjson {

constexpr uint32_t bit(csimdjson_field field) { return uint32_t{1} << field; }

/// `raw` is followed by the closing quote, and a key is a prefix of the padded input, so this never reads too far.
///
/// - Returns: the length of the key; 0 if `raw` is another one.
template <size_t size>
size_t named(const char *raw, const char (&key)[size], csimdjson_field candidate, csimdjson_field &field) noexcept {
    if (std::memcmp(raw, key, size - 1) != 0 || raw[size - 1] != '"') return 0;
    field = candidate;
    return size - 1;
}

/// Which field a key names. Only the first letter is looked at before the one comparison that counts.
///
/// - Returns: the length of the key; 0 if no field has that name.
inline size_t find_field(const char *raw, csimdjson_field &field) noexcept {
    size_t length = 0;
    switch (raw[0]) {
    case 'v': return named(raw, "vehicleId", csimdjson_field_vehicle_id, field);
    case 'o': return named(raw, "observedAt", csimdjson_field_observed_at, field);
    case 'i': return named(raw, "ignition", csimdjson_field_ignition, field);
    case 'h': return named(raw, "heading", csimdjson_field_heading, field);
    case 'c': return named(raw, "customAddressIcon", csimdjson_field_custom_address_icon, field);
    case 'r': return named(raw, "registration", csimdjson_field_registration, field);
    case 'l':
        length = named(raw, "latitude", csimdjson_field_latitude, field);
        return length ? length : named(raw, "longitude", csimdjson_field_longitude, field);
    case 'a':
        length = named(raw, "address", csimdjson_field_address, field);
        return length ? length : named(raw, "alias", csimdjson_field_alias, field);
    case 's':
        length = named(raw, "status", csimdjson_field_status, field);
        if (!length) length = named(raw, "speed", csimdjson_field_speed, field);
        return length ? length : named(raw, "series", csimdjson_field_series, field);
    default: return 0;
    }
}

inline bool find_status(csimdjson_text text, csimdjson_status &status) noexcept {
    static constexpr std::string_view names[] = {"Moving", "Idling", "Stopped", "IgnitionOff", "Charging", "Offline"};
    std::string_view name(text.start, text.length);
    for (size_t index = 0; index < std::size(names); index++) {
        if (names[index] == name) {
            status = static_cast<csimdjson_status>(index);
            return true;
        }
    }
    return false;
}

/// Where a text goes; null for fields that are none.
inline csimdjson_text *text_of(csimdjson_telemetry &record, csimdjson_field field) noexcept {
    switch (field) {
    case csimdjson_field_address: return &record.address;
    case csimdjson_field_custom_address_icon: return &record.custom_address_icon;
    case csimdjson_field_registration: return &record.registration;
    case csimdjson_field_alias: return &record.alias;
    default: return nullptr;
    }
}

/// Where a number goes, and the values that are allowed.
struct number_place {
    double *value;
    double least, most;
    bool allows(double number) const noexcept { return number >= least && number <= most; }
};

/// `value` is null for fields that are no numbers.
inline number_place number_of(csimdjson_telemetry &record, csimdjson_field field) noexcept {
    switch (field) {
    case csimdjson_field_speed: return {&record.speed, 0, 1e300};
    case csimdjson_field_latitude: return {&record.latitude, -90, 90};
    case csimdjson_field_longitude: return {&record.longitude, -180, 180};
    case csimdjson_field_heading: return {&record.heading, 0, 360};
    default: return {nullptr, 0, 0};
    }
}

inline csimdjson_problem require(csimdjson_telemetry &record, csimdjson_field field) noexcept {
    record.problem_field = field;
    return record.given & bit(field) ? csimdjson_problem_none : csimdjson_problem_missing;
}

/// What has to be there: whose record it is, of when, and of a position both halves.
inline csimdjson_problem check(csimdjson_telemetry &record) noexcept {
    csimdjson_problem problem = require(record, csimdjson_field_vehicle_id);
    if (problem == csimdjson_problem_none) problem = require(record, csimdjson_field_observed_at);
    if (problem != csimdjson_problem_none) return problem;
    constexpr uint32_t latitude = bit(csimdjson_field_latitude), longitude = bit(csimdjson_field_longitude);
    uint32_t position = record.given & (latitude | longitude);
    if (position == latitude) return require(record, csimdjson_field_longitude);
    return position == longitude ? require(record, csimdjson_field_latitude) : csimdjson_problem_none;
}

/// The field has a value, or is null; what a field of that name before it said does not count.
inline void note(csimdjson_telemetry &record, csimdjson_field field, bool is_null) noexcept {
    record.given = is_null ? record.given & ~bit(field) : record.given | bit(field);
    record.cleared = is_null ? record.cleared | bit(field) : record.cleared & ~bit(field);
}

/// Reads a record of the plain kind, which most are: an object without escapes, with no white space but blanks, and of
/// strings, short numbers, booleans and nulls alone. simdjson reads whatever is not plain, and whatever is wrong, of
/// which it says what; of a record that is read here it would say the same. Takes a third of its time.
///
/// - Parameter text: with `SIMDJSON_PADDING` zeros behind it.
/// - Returns: false if the record is not plain; then `record` is of no use.
bool read_plain(const char *text, size_t length, csimdjson_telemetry &record) noexcept;

}

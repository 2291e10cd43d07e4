#include "Parser.hpp"

using namespace simdjson;

namespace {

using csimdjson::trimmed;

constexpr uint32_t bit(csimdjson_field field) { return uint32_t{1} << field; }

/// `raw` is followed by the closing quote, and a key is a prefix of the padded input, so this never reads too far.
template <size_t size> bool is_key(const char *raw, const char (&key)[size]) noexcept {
    return std::memcmp(raw, key, size - 1) == 0 && raw[size - 1] == '"';
}

/// Which field a key names. Only the first letter is looked at before the one comparison that counts.
bool find_field(const char *raw, csimdjson_field &field) noexcept {
    auto named = [&](csimdjson_field candidate) { field = candidate; return true; };
    switch (raw[0]) {
    case 'v': return is_key(raw, "vehicleId") && named(csimdjson_field_vehicle_id);
    case 'o': return is_key(raw, "observedAt") && named(csimdjson_field_observed_at);
    case 'i': return is_key(raw, "ignition") && named(csimdjson_field_ignition);
    case 'h': return is_key(raw, "heading") && named(csimdjson_field_heading);
    case 'c': return is_key(raw, "customAddressIcon") && named(csimdjson_field_custom_address_icon);
    case 'r': return is_key(raw, "registration") && named(csimdjson_field_registration);
    case 'l':
        if (is_key(raw, "latitude")) return named(csimdjson_field_latitude);
        return is_key(raw, "longitude") && named(csimdjson_field_longitude);
    case 'a':
        if (is_key(raw, "address")) return named(csimdjson_field_address);
        return is_key(raw, "alias") && named(csimdjson_field_alias);
    case 's':
        if (is_key(raw, "status")) return named(csimdjson_field_status);
        if (is_key(raw, "speed")) return named(csimdjson_field_speed);
        return is_key(raw, "series") && named(csimdjson_field_series);
    default: return false;
    }
}

bool read_status(const csimdjson_text &text, csimdjson_status &status) noexcept {
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

/// Fills in `parser.telemetry`; each function returns the problem with the field that it was given.
struct reader {
    csimdjson_parser &parser;
    csimdjson_telemetry &record;
    size_t series_start = 0;

    csimdjson_problem identifier(ondemand::value value, csimdjson_text &result) noexcept {
        std::string_view token = value.raw_json_token();
        if (token.front() == '"') {
            if (!parser.text(value, result)) return csimdjson_problem_not_json;
        } else {
            token = trimmed(token);
            if (!csimdjson::is_number(token)) return csimdjson_problem_wrong_type;
            result = {token.data(), token.size()};
        }
        return result.length == 0 ? csimdjson_problem_not_allowed : csimdjson_problem_none;
    }

    csimdjson_problem text(ondemand::value value, csimdjson_text &result) noexcept {
        std::string_view token = value.raw_json_token();
        if (token.front() != '"') return csimdjson_problem_wrong_type;
        return parser.text(value, result) ? csimdjson_problem_none : csimdjson_problem_not_json;
    }

    csimdjson_problem instant(ondemand::value value) noexcept {
        std::string_view token = value.raw_json_token();
        if (token.front() == '"') {
            csimdjson_text text;
            if (!parser.text(value, text)) return csimdjson_problem_not_json;
            bool is_read = csimdjson::read_instant({text.start, text.length}, record.observed_at);
            return is_read ? csimdjson_problem_none : csimdjson_problem_not_allowed;
        }
        if (!csimdjson::is_number(trimmed(token))) return csimdjson_problem_wrong_type;
        if (value.get_int64().get(record.observed_at)) return csimdjson_problem_not_allowed;
        int64_t read = record.observed_at;
        bool fits = read >= csimdjson::earliest_instant && read <= csimdjson::latest_instant;
        return fits ? csimdjson_problem_none : csimdjson_problem_not_allowed;
    }

    csimdjson_problem number(ondemand::value value, double &result, double least, double most) noexcept {
        char first = value.raw_json_token().front();
        if (first != '-' && (first < '0' || first > '9')) return csimdjson_problem_wrong_type;
        if (value.get_double().get(result)) {
            // What is a number all the same is too large for any unit.
            bool is_number = csimdjson::is_number(trimmed(value.raw_json_token()));
            return is_number ? csimdjson_problem_not_allowed : csimdjson_problem_not_json;
        }
        return result >= least && result <= most ? csimdjson_problem_none : csimdjson_problem_not_allowed;
    }

    csimdjson_problem ignition(ondemand::value value) noexcept {
        return value.get_bool().get(record.ignition) ? csimdjson_problem_wrong_type : csimdjson_problem_none;
    }

    csimdjson_problem status(ondemand::value value) noexcept {
        csimdjson_text name;
        csimdjson_problem problem = text(value, name);
        if (problem != csimdjson_problem_none) return problem;
        return read_status(name, record.status) ? csimdjson_problem_none : csimdjson_problem_not_allowed;
    }

    csimdjson_problem series(ondemand::value value) noexcept {
        if (value.raw_json_token().front() != '{') return csimdjson_problem_wrong_type;
        series_start = parser.nodes.size();
        csimdjson_problem problem = parser.append(value, 2);
        record.series_count = parser.nodes.size() - series_start;
        return problem;
    }

    csimdjson_problem read(csimdjson_field field, ondemand::value value) noexcept {
        constexpr double any = 1e300;
        switch (field) {
        case csimdjson_field_vehicle_id: return identifier(value, record.vehicle_id);
        case csimdjson_field_observed_at: return instant(value);
        case csimdjson_field_status: return status(value);
        case csimdjson_field_ignition: return ignition(value);
        case csimdjson_field_speed: return number(value, record.speed, 0, any);
        case csimdjson_field_latitude: return number(value, record.latitude, -90, 90);
        case csimdjson_field_longitude: return number(value, record.longitude, -180, 180);
        case csimdjson_field_heading: return number(value, record.heading, 0, 360);
        case csimdjson_field_address: return text(value, record.address);
        case csimdjson_field_custom_address_icon: return text(value, record.custom_address_icon);
        case csimdjson_field_registration: return text(value, record.registration);
        case csimdjson_field_alias: return text(value, record.alias);
        case csimdjson_field_series: return series(value);
        }
    }

    /// An ignored field: it must be JSON, and leaves nothing behind.
    csimdjson_problem ignore(ondemand::value value) noexcept {
        size_t count = parser.nodes.size();
        csimdjson_problem problem = parser.append(value, 2);
        parser.nodes.resize(count);
        return problem;
    }

    /// `null` and nothing else that begins with an n.
    static bool is_null(ondemand::value value) noexcept {
        std::string_view token = value.raw_json_token();
        return token.front() == 'n' && trimmed(token) == "null";
    }

    /// A key with escapes is resolved first, and closed with a quote like one without.
    const char *resolved(const char *raw) noexcept {
        size_t length = 0;
        while (raw[length] != '"' && raw[length] != '\\') length++;
        if (raw[length] == '"') return raw;
        std::string_view key;
        if (parser.parser.unescape(reinterpret_cast<const uint8_t *>(raw), parser.strings_end).get(key)) return nullptr;
        *parser.strings_end++ = '"';
        return key.data();
    }

    csimdjson_problem read(ondemand::field member) noexcept {
        csimdjson_field field = csimdjson_field_vehicle_id;
        if (!find_field(member.key().raw(), field)) {
            const char *key = resolved(member.key().raw());
            if (!key) return csimdjson_problem_not_json;
            if (key == member.key().raw() || !find_field(key, field)) return ignore(member.value());
        }
        record.problem_field = field;
        if (is_null(member.value())) {
            record.given &= ~bit(field);
            record.cleared |= bit(field);
            return csimdjson_problem_none;
        }
        record.given |= bit(field);
        record.cleared &= ~bit(field);
        return read(field, member.value());
    }

    csimdjson_problem require(csimdjson_field field) noexcept {
        record.problem_field = field;
        return record.given & bit(field) ? csimdjson_problem_none : csimdjson_problem_missing;
    }

    csimdjson_problem read(const void *bytes, size_t length) noexcept {
        ondemand::document document;
        error_code error = parser.start(bytes, length, document);
        if (error) return error == MEMALLOC ? csimdjson_problem_no_memory : csimdjson_problem_not_json;
        ondemand::object object;
        error = document.get_object().get(object);
        if (error) return error == INCORRECT_TYPE ? csimdjson_problem_not_an_object : csimdjson_problem_not_json;
        for (auto next : object) {
            ondemand::field member;
            if (std::move(next).get(member)) return csimdjson_problem_not_json;
            csimdjson_problem problem = read(member);
            if (problem != csimdjson_problem_none) return problem;
        }
        if (!csimdjson_parser::is_finished(document)) return csimdjson_problem_not_json;
        return check();
    }

    /// What has to be there: whose record it is, of when, and of a position both halves.
    csimdjson_problem check() noexcept {
        csimdjson_problem problem = require(csimdjson_field_vehicle_id);
        if (problem == csimdjson_problem_none) problem = require(csimdjson_field_observed_at);
        if (problem != csimdjson_problem_none) return problem;
        constexpr uint32_t latitude = bit(csimdjson_field_latitude), longitude = bit(csimdjson_field_longitude);
        uint32_t position = record.given & (latitude | longitude);
        if (position == latitude) return require(csimdjson_field_longitude);
        return position == longitude ? require(csimdjson_field_latitude) : csimdjson_problem_none;
    }
};

}

const csimdjson_telemetry *csimdjson_read_telemetry(csimdjson_parser *parser, const void *bytes, size_t length) {
    csimdjson_telemetry &record = parser->telemetry;
    record.given = 0;
    record.cleared = 0;
    parser->nodes.clear();
    reader reader{*parser, record};
    record.problem = reader.read(bytes, length);
    record.series = parser->nodes.data() + reader.series_start;
    return &record;
}

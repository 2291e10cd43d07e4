#include "Telemetry.hpp"

#include "Parser.hpp"

#include <charconv>

using namespace simdjson;

namespace {

using csimdjson::trimmed;

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

    csimdjson_problem number(ondemand::value value, csimdjson::number_place place) noexcept {
        std::string_view token = value.raw_json_token();
        char first = token.front();
        if (first != '-' && (first < '0' || first > '9')) return csimdjson_problem_wrong_type;
        error_code error = value.get_double().get(*place.value);
        token = trimmed(token);
        // simdjson 3.0.1 reads long numbers below one wrong: it checks at the wrong place whether their digits fit.
        if (error || token.size() > 19) {
            if (!csimdjson::is_number(token)) return csimdjson_problem_not_json;
            std::from_chars_result end = std::from_chars(token.data(), token.data() + token.size(), *place.value);
            // Too large for any unit, or so small that simdjson took it for zero; that is right.
            if (end.ec != std::errc() && error) return csimdjson_problem_not_allowed;
            if (end.ec != std::errc()) *place.value = 0;
        }
        return place.allows(*place.value) ? csimdjson_problem_none : csimdjson_problem_not_allowed;
    }

    csimdjson_problem ignition(ondemand::value value) noexcept {
        return value.get_bool().get(record.ignition) ? csimdjson_problem_wrong_type : csimdjson_problem_none;
    }

    csimdjson_problem status(ondemand::value value) noexcept {
        csimdjson_text name;
        csimdjson_problem problem = text(value, name);
        if (problem != csimdjson_problem_none) return problem;
        return csimdjson::find_status(name, record.status) ? csimdjson_problem_none : csimdjson_problem_not_allowed;
    }

    csimdjson_problem series(ondemand::value value) noexcept {
        if (value.raw_json_token().front() != '{') return csimdjson_problem_wrong_type;
        series_start = parser.nodes.size();
        csimdjson_problem problem = parser.append(value, 2);
        record.series_count = parser.nodes.size() - series_start;
        return problem;
    }

    csimdjson_problem read(csimdjson_field field, ondemand::value value) noexcept {
        switch (field) {
        case csimdjson_field_vehicle_id: return identifier(value, record.vehicle_id);
        case csimdjson_field_observed_at: return instant(value);
        case csimdjson_field_status: return status(value);
        case csimdjson_field_ignition: return ignition(value);
        case csimdjson_field_series: return series(value);
        default: break;
        }
        if (csimdjson_text *place = csimdjson::text_of(record, field)) return text(value, *place);
        return number(value, csimdjson::number_of(record, field));
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
        if (!csimdjson::find_field(member.key().raw(), field)) {
            const char *key = resolved(member.key().raw());
            if (!key) return csimdjson_problem_not_json;
            if (key == member.key().raw() || !csimdjson::find_field(key, field)) return ignore(member.value());
        }
        record.problem_field = field;
        bool is_null = reader::is_null(member.value());
        csimdjson::note(record, field, is_null);
        return is_null ? csimdjson_problem_none : read(field, member.value());
    }

    /// The input lies in the parser.
    csimdjson_problem read(size_t length) noexcept {
        ondemand::document document;
        error_code error = parser.start(length, document);
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
        return csimdjson_parser::is_finished(document) ? csimdjson::check(record) : csimdjson_problem_not_json;
    }
};

}

const csimdjson_telemetry *csimdjson_read_telemetry(csimdjson_parser *parser, const void *bytes, size_t length) {
    csimdjson_telemetry &record = parser->telemetry;
    record.given = 0;
    record.cleared = 0;
    record.problem = csimdjson_problem_none;
    if (!parser->copy(bytes, length)) {
        record.problem = csimdjson_problem_no_memory;
        return &record;
    }
    if (csimdjson::read_plain(parser->input.get(), length, record)) return &record;
    record.given = 0;
    record.cleared = 0;
    parser->nodes.clear();
    reader reader{*parser, record};
    record.problem = reader.read(length);
    record.series = parser->nodes.data() + reader.series_start;
    return &record;
}

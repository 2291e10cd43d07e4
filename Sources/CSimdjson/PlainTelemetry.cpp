#include "Telemetry.hpp"

#include "Parser.hpp"

namespace {

using namespace csimdjson;

uint64_t eight(const char *at) noexcept {
    uint64_t bytes;
    std::memcpy(&bytes, at, sizeof bytes);
    return bytes;
}

constexpr uint64_t each(uint8_t byte) { return ~uint64_t{0} / 255 * byte; }

/// A set high bit stands in the first byte that is `byte`, and in none before it.
constexpr uint64_t equals(uint64_t bytes, uint8_t byte) {
    uint64_t differs = bytes ^ each(byte);
    return (differs - each(1)) & ~differs & each(0x80);
}

/// As `equals`, for the first byte below `byte`, which is 128 at most.
constexpr uint64_t is_below(uint64_t bytes, uint8_t byte) { return (bytes - each(byte)) & ~bytes & each(0x80); }

bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

struct plain_number {
    /// The digits, without the point; so many of them stand behind it.
    uint64_t mantissa = 0;
    int decimals = 0;
    bool is_negative = false;

    /// The nearest double, if `is_exact()`: both are doubles without an error then, so only the division rounds.
    double value() const noexcept {
        static constexpr double powers[] = {1,    1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8, 1e9,
                                            1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18};
        double number = static_cast<double>(mantissa) / powers[decimals];
        return is_negative ? -number : number;
    }
    bool is_exact() const noexcept { return mantissa <= uint64_t{1} << 53; }
};

struct plain_reader {
    const char *at;
    csimdjson_telemetry &record;

    void skip_blanks() noexcept {
        while (*at == ' ') at++;
    }

    bool take(char expected) noexcept {
        if (*at != expected) return false;
        at++;
        return true;
    }

    /// The rest of a string whose quote has been taken, and the quote behind it.
    bool string(csimdjson_text &result) noexcept {
        const char *start = at;
        uint64_t found;
        for (;; at += 8) {
            uint64_t bytes = eight(at);
            found = equals(bytes, '"') | equals(bytes, '\\') | is_below(bytes, ' ');
            if (found) break;
        }
        at += __builtin_ctzll(found) / 8;
        result = {start, static_cast<size_t>(at - start)};
        return take('"');
    }

    /// A number of 18 digits at most, without an exponent.
    bool number(plain_number &result) noexcept {
        result.is_negative = take('-');
        const char *first = at;
        for (; is_digit(*at); at++) result.mantissa = result.mantissa * 10 + static_cast<uint64_t>(*at - '0');
        int whole = static_cast<int>(at - first);
        if (whole == 0 || (*first == '0' && whole > 1)) return false;
        if (*at == '.') {
            const char *point = at++;
            for (; is_digit(*at); at++) result.mantissa = result.mantissa * 10 + static_cast<uint64_t>(*at - '0');
            result.decimals = static_cast<int>(at - point) - 1;
        }
        if ((*at | 0x20) == 'e') return false;
        return whole + result.decimals <= 18 && (result.decimals > 0 || at[-1] != '.');
    }

    bool word(std::string_view expected) noexcept {
        if (std::memcmp(at, expected.data(), expected.size()) != 0) return false;
        at += expected.size();
        return true;
    }

    bool identifier() noexcept {
        if (take('"')) return string(record.vehicle_id) && record.vehicle_id.length > 0;
        const char *start = at;
        plain_number number;
        if (!this->number(number)) return false;
        record.vehicle_id = {start, static_cast<size_t>(at - start)};
        return true;
    }

    bool instant() noexcept {
        csimdjson_text text;
        if (take('"')) return string(text) && read_instant({text.start, text.length}, record.observed_at);
        plain_number number;
        if (!this->number(number) || number.decimals > 0) return false;
        int64_t whole = static_cast<int64_t>(number.mantissa);
        record.observed_at = number.is_negative ? -whole : whole;
        return record.observed_at >= earliest_instant && record.observed_at <= latest_instant;
    }

    bool boolean(bool &result) noexcept {
        result = *at == 't';
        return word(result ? "true" : "false");
    }

    bool value(csimdjson_field field) noexcept {
        switch (field) {
        case csimdjson_field_vehicle_id: return identifier();
        case csimdjson_field_observed_at: return instant();
        case csimdjson_field_ignition: return boolean(record.ignition);
        case csimdjson_field_series: return false;
        case csimdjson_field_status: {
            csimdjson_text name;
            return take('"') && string(name) && find_status(name, record.status);
        }
        default: break;
        }
        if (csimdjson_text *text = text_of(record, field)) return take('"') && string(*text);
        number_place place = number_of(record, field);
        plain_number number;
        if (!place.value || !this->number(number) || !number.is_exact()) return false;
        *place.value = number.value();
        return place.allows(*place.value);
    }

    /// The value of a field that nobody asks for.
    bool ignored() noexcept {
        csimdjson_text text;
        plain_number number;
        bool truth;
        switch (*at) {
        case '"': at++; return string(text);
        case 'n': return word("null");
        case 't':
        case 'f': return boolean(truth);
        default: return this->number(number);
        }
    }

    bool member() noexcept {
        if (!take('"')) return false;
        csimdjson_field field = csimdjson_field_vehicle_id;
        csimdjson_text key;
        size_t length = find_field(at, field);
        if (length > 0) at += length + 1;
        else if (!string(key)) return false;
        skip_blanks();
        if (!take(':')) return false;
        skip_blanks();
        if (length == 0) return ignored();
        bool is_null = *at == 'n';
        note(record, field, is_null);
        return is_null ? word("null") : value(field);
    }

    bool object(const char *end) noexcept {
        if (!take('{')) return false;
        do {
            skip_blanks();
            if (!member()) return false;
            skip_blanks();
        } while (take(','));
        return take('}') && at == end;
    }
};

/// All of a text is UTF-8, as JSON has to be.
bool is_utf8(const char *text, size_t length) noexcept {
    uint64_t bytes = 0;
    for (size_t at = 0; at < length; at += 8) bytes |= eight(text + at);
    return (bytes & each(0x80)) == 0 || simdjson::validate_utf8(text, length);
}

}

bool csimdjson::read_plain(const char *text, size_t length, csimdjson_telemetry &record) noexcept {
    plain_reader reader{text, record};
    return reader.object(text + length) && is_utf8(text, length) && check(record) == csimdjson_problem_none;
}

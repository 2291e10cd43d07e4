#include "Parser.hpp"

#include <new>

using namespace simdjson;

csimdjson_parser *csimdjson_parser_new(void) { return new (std::nothrow) csimdjson_parser(); }

void csimdjson_parser_free(csimdjson_parser *parser) { delete parser; }

bool csimdjson_parser::copy(const void *bytes, size_t length) noexcept {
    if (length + SIMDJSON_PADDING > input_capacity) {
        size_t capacity = 2 * (length + SIMDJSON_PADDING);
        input.reset(new (std::nothrow) char[capacity]);
        strings.reset(new (std::nothrow) uint8_t[capacity]);
        input_capacity = input && strings ? capacity : 0;
        if (input_capacity == 0) return false;
    }
    std::memcpy(input.get(), bytes, length);
    std::memset(input.get() + length, 0, SIMDJSON_PADDING);
    strings_end = strings.get();
    return true;
}

error_code csimdjson_parser::start(size_t length, ondemand::document &document) noexcept {
    return parser.iterate(input.get(), length, input_capacity).get(document);
}

error_code csimdjson_parser::start(const void *bytes, size_t length, ondemand::document &document) noexcept {
    return copy(bytes, length) ? start(length, document) : MEMALLOC;
}

bool csimdjson_parser::text(ondemand::value value, csimdjson_text &result) noexcept {
    std::string_view token = csimdjson::trimmed(value.raw_json_token());
    // Taken, not skipped: simdjson would skip a string and a colon after it as if it were a key.
    ondemand::raw_json_string raw;
    if (value.get_raw_json_string().get(raw) || token.size() < 2 || token.back() != '"') return false;
    return resolve(token.substr(1, token.size() - 2), result);
}

bool csimdjson_parser::resolve(std::string_view content, csimdjson_text &result) noexcept {
    if (content.empty() || !std::memchr(content.data(), '\\', content.size())) {
        result = {content.data(), content.size()};
        return true;
    }
    std::string_view resolved;
    ondemand::raw_json_string raw(reinterpret_cast<const uint8_t *>(content.data()));
    if (parser.unescape(raw, strings_end).get(resolved)) return false;
    result = {resolved.data(), resolved.size()};
    return true;
}

bool csimdjson::is_number(std::string_view token) noexcept {
    const char *at = token.data();
    const char *end = at + token.size();
    auto digits = [&] {
        const char *first = at;
        while (at < end && *at >= '0' && *at <= '9') at++;
        return at > first;
    };
    if (at < end && *at == '-') at++;
    if (at < end && *at == '0') at++;
    else if (!digits()) return false;
    if (at < end && *at == '.') {
        at++;
        if (!digits()) return false;
    }
    if (at < end && (*at == 'e' || *at == 'E')) {
        at++;
        if (at < end && (*at == '+' || *at == '-')) at++;
        if (!digits()) return false;
    }
    return at == end;
}

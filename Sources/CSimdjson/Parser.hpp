// The parser handle and what both readers share.
#pragma once

#include "CSimdjson.h"

// Errors come back as values: nothing may throw through the C interface.
#define SIMDJSON_EXCEPTIONS 0
#include <simdjson.h>

#include <cstring>
#include <memory>
#include <vector>

// Finding the structure of the text, the part that gains most from wide registers, is done in the shared library by the
// implementation that fits the processor at run time (icelake, haswell, westmere, arm64). What is compiled here is
// simdjson's baseline for the architecture, which every machine of that architecture can run. On x86-64 that baseline
// reads numbers and atoms byte by byte; on a telemetry record this costs 2 % against a build for AVX2.
struct csimdjson_parser {
    simdjson::ondemand::parser parser;
    /// The input, with the padding that simdjson may read beyond its end.
    std::unique_ptr<char[]> input;
    size_t input_capacity = 0;
    /// Where strings with escapes are resolved; each call begins at its start.
    std::unique_ptr<uint8_t[]> strings;
    uint8_t *strings_end = nullptr;
    csimdjson_telemetry telemetry;
    std::vector<csimdjson_node> nodes;
    /// Reads all of a text at once, in the shared library, for whoever needs little of it.
    simdjson::dom::parser whole;
    std::vector<csimdjson_member> members;

    /// Copies the input, with padding behind it; false where memory is short.
    bool copy(const void *bytes, size_t length) noexcept;

    /// Finds the structure of the input that was copied.
    simdjson::error_code start(size_t length, simdjson::ondemand::document &document) noexcept;

    /// Copies the input and finds its structure.
    simdjson::error_code start(const void *bytes, size_t length, simdjson::ondemand::document &document) noexcept;

    /// Reads a string value. One without escapes is lent from the input itself.
    bool text(simdjson::ondemand::value value, csimdjson_text &result) noexcept;

    /// Resolves a string whose content, up to the closing quote, this is.
    bool resolve(std::string_view content, csimdjson_text &result) noexcept;

    /// Appends the value and all that is in it to `nodes`, and checks it on the way.
    csimdjson_problem append(simdjson::ondemand::value value, int depth) noexcept;
    csimdjson_problem append(simdjson::ondemand::array array, int depth) noexcept;
    csimdjson_problem append(simdjson::ondemand::object object, int depth) noexcept;

    /// The whole document has been read, and nothing follows it.
    static bool is_finished(simdjson::ondemand::document &document) noexcept {
        return document.current_location().error() == simdjson::OUT_OF_BOUNDS;
    }
};

namespace csimdjson {

inline constexpr int deepest = 128;

/// The token without the white space that follows it.
inline std::string_view trimmed(std::string_view token) noexcept {
    auto is_space = [](char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; };
    while (!token.empty() && is_space(token.back())) token.remove_suffix(1);
    return token;
}

/// RFC 8259 section 6.
bool is_number(std::string_view token) noexcept;

/// An RFC 3339 date-time with offset, as milliseconds since 1970; the same rules as `Instant(rfc3339:)` in Timelines.
/// What is finer than a millisecond is cut off.
bool read_instant(std::string_view text, int64_t &milliseconds) noexcept;

/// The first and the last millisecond of the years 0001 to 9999.
inline constexpr int64_t earliest_instant = -62135596800000;
inline constexpr int64_t latest_instant = 253402300799999;

}

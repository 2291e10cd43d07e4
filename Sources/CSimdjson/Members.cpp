#include "Parser.hpp"

using namespace simdjson;

namespace {

/// simdjson refuses the level behind the last one that is allowed.
constexpr size_t levels = csimdjson::deepest + 1;

csimdjson_text lent(std::string_view text) noexcept { return {text.data(), text.size()}; }

csimdjson_member member(dom::key_value_pair pair) noexcept {
    csimdjson_member result{lent(pair.key), csimdjson_type_null, {}, false, 0};
    switch (pair.value.type()) {
    case dom::element_type::NULL_VALUE: break;
    case dom::element_type::BOOL:
        result.type = pair.value.get_bool().value_unsafe() ? csimdjson_type_true : csimdjson_type_false;
        break;
    case dom::element_type::ARRAY: result.type = csimdjson_type_array; break;
    case dom::element_type::OBJECT: result.type = csimdjson_type_object; break;
    case dom::element_type::STRING:
        result.type = csimdjson_type_string;
        result.text = lent(pair.value.get_string().value_unsafe());
        break;
    case dom::element_type::INT64:
        result.is_integer = true;
        result.integer = pair.value.get_int64().value_unsafe();
        [[fallthrough]];
    case dom::element_type::UINT64:
    case dom::element_type::DOUBLE: result.type = csimdjson_type_number; break;
    }
    return result;
}

}

csimdjson_members csimdjson_read_members(csimdjson_parser *parser, const void *bytes, size_t length) {
    parser->members.clear();
    dom::parser &whole = parser->whole;
    if (!parser->copy(bytes, length)) return {};
    if (whole.capacity() < length || whole.max_depth() != levels) {
        if (whole.allocate(2 * length + 4096, levels)) return {};
    }
    dom::object object;
    if (whole.parse(parser->input.get(), length, false).get_object().get(object)) return {};
    for (auto pair : object) parser->members.push_back(member(pair));
    return {true, parser->members.size(), parser->members.data()};
}

#include "Parser.hpp"

using namespace simdjson;

csimdjson_problem csimdjson_parser::append(ondemand::value value, int depth) noexcept {
    std::string_view token = value.raw_json_token();
    switch (token.front()) {
    case '{': {
        ondemand::object object;
        return value.get_object().get(object) ? csimdjson_problem_not_json : append(object, depth);
    }
    case '[': {
        ondemand::array array;
        return value.get_array().get(array) ? csimdjson_problem_not_json : append(array, depth);
    }
    case '"': {
        csimdjson_text content;
        if (!text(value, content)) return csimdjson_problem_not_json;
        nodes.push_back({csimdjson_type_string, 0, content});
        return csimdjson_problem_none;
    }
    default:
        token = csimdjson::trimmed(token);
        if (token == "null") nodes.push_back({csimdjson_type_null, 0, {}});
        else if (token == "true") nodes.push_back({csimdjson_type_true, 0, {}});
        else if (token == "false") nodes.push_back({csimdjson_type_false, 0, {}});
        else if (csimdjson::is_number(token)) nodes.push_back({csimdjson_type_number, 0, {token.data(), token.size()}});
        else return csimdjson_problem_not_json;
        return csimdjson_problem_none;
    }
}

csimdjson_problem csimdjson_parser::append(ondemand::array array, int depth) noexcept {
    if (depth > csimdjson::deepest) return csimdjson_problem_too_deep;
    size_t index = nodes.size();
    nodes.push_back({csimdjson_type_array, 0, {}});
    for (auto next : array) {
        ondemand::value element;
        if (std::move(next).get(element)) return csimdjson_problem_not_json;
        csimdjson_problem problem = append(element, depth + 1);
        if (problem != csimdjson_problem_none) return problem;
        nodes[index].count++;
    }
    return csimdjson_problem_none;
}

csimdjson_problem csimdjson_parser::append(ondemand::object object, int depth) noexcept {
    if (depth > csimdjson::deepest) return csimdjson_problem_too_deep;
    size_t index = nodes.size();
    nodes.push_back({csimdjson_type_object, 0, {}});
    for (auto next : object) {
        ondemand::field member;
        if (std::move(next).get(member)) return csimdjson_problem_not_json;
        const char *key = member.key().raw();
        size_t length = 0;
        bool escaped = false;
        for (; key[length] != '"'; length++) {
            if (key[length] != '\\') continue;
            escaped = true;
            length++;
        }
        csimdjson_text name{key, length};
        if (escaped && !resolve({key, length}, name)) return csimdjson_problem_not_json;
        nodes.push_back({csimdjson_type_string, 0, name});
        csimdjson_problem problem = append(member.value(), depth + 1);
        if (problem != csimdjson_problem_none) return problem;
        nodes[index].count++;
    }
    return csimdjson_problem_none;
}

namespace {

csimdjson_problem read(csimdjson_parser &parser, const void *bytes, size_t length) noexcept {
    ondemand::document document;
    error_code error = parser.start(bytes, length, document);
    if (error) return error == MEMALLOC ? csimdjson_problem_no_memory : csimdjson_problem_not_json;
    ondemand::json_type type;
    if (document.type().get(type)) return csimdjson_problem_not_json;
    csimdjson_problem problem;
    if (type == ondemand::json_type::object) {
        ondemand::object object;
        if (document.get_object().get(object)) return csimdjson_problem_not_json;
        problem = parser.append(object, 1);
    } else if (type == ondemand::json_type::array) {
        ondemand::array array;
        if (document.get_array().get(array)) return csimdjson_problem_not_json;
        problem = parser.append(array, 1);
    } else {
        return csimdjson_problem_not_an_object;
    }
    bool ends_early = problem == csimdjson_problem_none && !csimdjson_parser::is_finished(document);
    return ends_early ? csimdjson_problem_not_json : problem;
}

}

csimdjson_document csimdjson_read_document(csimdjson_parser *parser, const void *bytes, size_t length) {
    parser->nodes.clear();
    csimdjson_problem problem = read(*parser, bytes, length);
    return {problem, parser->nodes.size(), parser->nodes.data()};
}

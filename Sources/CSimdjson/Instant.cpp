#include "Parser.hpp"

namespace {

/// Two digits, or something negative.
int two_digits(const char *text) noexcept {
    unsigned tens = static_cast<unsigned char>(text[0]) - '0';
    unsigned ones = static_cast<unsigned char>(text[1]) - '0';
    return tens <= 9 && ones <= 9 ? static_cast<int>(tens * 10 + ones) : -1;
}

/// Days since 1970-01-01 of the proleptic Gregorian calendar, by counting years from March on: then the leap day is a
/// year's last, and the days before a month are a linear formula.
int64_t days_since_1970(int year, int month, int day) noexcept {
    int64_t y = month <= 2 ? year - 1 : year;
    int64_t era = (y >= 0 ? y : y - 399) / 400;
    int64_t year_of_era = y - era * 400;
    int64_t day_of_year = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
    int64_t day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    return era * 146097 + day_of_era - 719468;
}

int days_in_month(int year, int month) noexcept {
    static constexpr int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    return month == 2 && leap ? 29 : days[month - 1];
}

}

bool csimdjson::read_instant(std::string_view text, int64_t &milliseconds) noexcept {
    // yyyy-MM-ddTHH:mm:ss and at least Z
    if (text.size() < 20) return false;
    const char *at = text.data();
    const char *end = at + text.size();
    int century = two_digits(at), year_of_century = two_digits(at + 2);
    int month = two_digits(at + 5), day = two_digits(at + 8);
    int hour = two_digits(at + 11), minute = two_digits(at + 14), second = two_digits(at + 17);
    if ((century | year_of_century | month | day | hour | minute | second) < 0) return false;
    if (at[4] != '-' || at[7] != '-' || (at[10] | 0x20) != 't' || at[13] != ':' || at[16] != ':') return false;
    int year = century * 100 + year_of_century;
    if (year < 1 || month < 1 || month > 12 || day < 1 || day > days_in_month(year, month)) return false;
    if (hour > 23 || minute > 59 || second > 60) return false;
    at += 19;

    int fraction = 0;
    if (*at == '.') {
        int scale = 100;
        const char *first = ++at;
        for (; at < end && *at >= '0' && *at <= '9'; at++, scale /= 10) fraction += (*at - '0') * scale;
        if (at == first) return false;
    }

    int offset = 0;
    if (end - at == 1 && (*at == 'Z' || *at == 'z')) {
        offset = 0;
    } else if (end - at == 6 && (*at == '+' || *at == '-') && at[3] == ':') {
        int hours = two_digits(at + 1), minutes = two_digits(at + 4);
        if (hours < 0 || minutes < 0 || hours > 23 || minutes > 59) return false;
        offset = (hours * 60 + minutes) * (*at == '-' ? -1 : 1);
    } else {
        return false;
    }
    int64_t minutes = (days_since_1970(year, month, day) * 24 + hour) * 60 + minute - offset;
    // A leap second is the first instant of the next minute, and that minute begins a day (RFC 3339 section 5.7).
    if (second == 60) {
        if ((minutes + 1) % (24 * 60) != 0) return false;
        fraction = 0;
    }
    milliseconds = (minutes * 60 + second) * 1000 + fraction;
    return milliseconds >= earliest_instant && milliseconds <= latest_instant;
}

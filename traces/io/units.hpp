// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace finegrain {

/// Numbers with units, spelled as SimGrid spells them: "12.5GBps", "100Mbps" (bits), "1us", "64KiB",
/// "78.6432GBps". Each takes what the text belongs to (a file and line, or a flag) for its error.
/// @throws InputError if the number or the unit does not parse, or the value is negative or not finite
double parse_bandwidth_bytes_per_s(std::string_view text, std::string_view where);
double parse_time_s(std::string_view text, std::string_view where);
double parse_size_bytes(std::string_view text, std::string_view where);
double parse_power_w(std::string_view text, std::string_view where);

/// For people: "12.5 GB/s", "3.40 us", "64.0 KiB".
std::string format_bandwidth(double bytes_per_s);
std::string format_time(double seconds);
/// With this number of digits after the point: "0.250". A value that would wrongly read as zero has two
/// digits: "1.2e-07".
std::string format_decimals(double value, int decimals);
/// "1 rank", "2 ranks". @param one  what is counted, of which one more letter makes the plural
std::string format_count(std::int64_t count, std::string_view one);
std::string format_size(double bytes);

}  // namespace finegrain

// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <ostream>
#include <span>
#include <string>
#include <string_view>

#include "sim/output/table.hpp"

namespace finegrain::output {

/// The version of what print_json() writes. It grows when a member that was there goes, or means another
/// thing.
inline constexpr int json_version = 1;

/// The unit that a column's key ends in: "s" of "simulated_s", "B" of "message_bytes"; "1" where it ends in
/// none.
std::string_view unit_of(std::string_view key);

nlohmann::ordered_json json_of(const Cell& cell);

/// A table as docs/json.md describes it.
nlohmann::ordered_json json_of(const Table& table);

/// An array of tables.
/// @param page  what the report's page says of the same answers, as JSON: the first table has it; empty: no
/// page
void print_json(std::ostream& out, std::span<const Table> tables, const std::string& page = {});

}  // namespace finegrain::output

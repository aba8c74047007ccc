// SPDX-License-Identifier: MIT
#include "traces/manifest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "traces/file_slice.hpp"
#include "traces/io/input_error.hpp"
#include "traces/rank_file.hpp"

namespace finegrain {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view format_name = "finegrain trace";
constexpr int format_version = 4;
constexpr std::int64_t most_iterations = 1'000'000'000;  ///< that a kernel records

void add(Json& object, const Settings& settings) {
  for (const auto& setting : settings)
    std::visit([&](const auto& given) { object[setting.first] = given; }, setting.second);
}

Json to_json(const Run& run) {
  Json problem = {{"pattern", run.problem.pattern}};
  add(problem, run.problem.settings);
  Json policy_settings = Json::object();
  add(policy_settings, run.policy_settings);
  return {{"problem", std::move(problem)},
          {"policy", run.policy},
          {"policy_settings", std::move(policy_settings)},
          {"transfer", to_string(run.transfer)},
          {"completion", to_string(run.completion)},
          {"ranks", run.ranks},
          {"ranks_per_node", run.ranks_per_node},
          {"threads_per_rank", run.threads_per_rank},
          {"iterations", run.iterations}};
}

Json to_json(const std::vector<ClockOffset>& offsets) {
  Json array = Json::array();
  for (const ClockOffset& offset : offsets)
    array.push_back({{"at_ns", offset.at_ns}, {"offset_ns", offset.offset_ns}});
  return array;
}

/// A JSON object, with where it stands for its errors.
class Object {
 public:
  Object(const Json& json, std::string file, std::string path)
      : json_(json), file_(std::move(file)), path_(std::move(path)) {
    if (!json.is_object()) fail(path_.empty() ? "the manifest" : path_, "is no object");
  }

  Object object(const char* name) const { return {member(name), file_, path_of(name)}; }

  bool has(const char* name) const { return json_.contains(name); }

  std::string text(const char* name) const {
    const Json& value = member(name);
    if (!value.is_string()) fail(path_of(name), "is no text");
    return value.get<std::string>();
  }

  bool truth(const char* name) const {
    const Json& value = member(name);
    if (!value.is_boolean()) fail(path_of(name), "is neither true nor false");
    return value.get<bool>();
  }

  template <typename Number = std::int64_t>
  Number number(const char* name, std::int64_t least = std::numeric_limits<Number>::min(),
                std::int64_t most = std::numeric_limits<Number>::max()) const {
    const Json& value = member(name);
    const bool too_large =
        value.is_number_unsigned() && value.get<std::uint64_t>() > static_cast<std::uint64_t>(most);
    if (!value.is_number_integer() || too_large || value.get<std::int64_t>() < least)
      fail(path_of(name), fmt::format("is no integer between {} and {}", least, most));
    return static_cast<Number>(value.get<std::int64_t>());
  }

  /// One of the enumerators that to_string names.
  template <typename Enum>
  Enum one_of(const char* name, std::initializer_list<Enum> choices) const {
    const std::string value = text(name);
    for (const Enum choice : choices) {
      if (to_string(choice) == value) return choice;
    }
    fail(path_of(name), fmt::format("is '{}', which this finegrain does not know", value));
  }

  /// Every member, each a whole number or a text.
  Settings settings() const {
    Settings result;
    for (const auto& [name, value] : json_.items()) {
      if (value.is_string()) {
        result[name] = text(name.c_str());
      } else {
        result[name] = number(name.c_str());
      }
    }
    return result;
  }

  std::map<std::string, std::string> texts(const char* name) const {
    const Object members = object(name);
    std::map<std::string, std::string> result;
    for (const auto& [key, value] : members.json_.items())
      result[key] = members.text(key.c_str());
    return result;
  }

  /// @returns one a rank, or none
  std::vector<ClockOffset> offsets(const char* name, std::size_t ranks) const {
    const Json& array = member(name);
    if (!array.is_array() || (!array.empty() && array.size() != ranks))
      fail(path_of(name), fmt::format("is no list of {} clock offsets, one a rank", ranks));
    std::vector<ClockOffset> result;
    for (const Json& element : array) {
      const Object offset(element, file_, fmt::format("{}[{}]", path_of(name), result.size()));
      result.push_back({offset.number("at_ns"), offset.number("offset_ns")});
    }
    return result;
  }

  [[noreturn]] void fail(const std::string& member, std::string_view problem) const {
    throw InputError(file_, fmt::format("{} {}", member, problem),
                     "Record the trace again, or restore the file");
  }

  std::string path_of(const char* name) const {
    return path_.empty() ? std::string(name) : fmt::format("{}.{}", path_, name);
  }

 private:
  const Json& member(const char* name) const {
    const auto found = json_.find(name);
    if (found == json_.end()) fail(path_of(name), "is missing");
    return *found;
  }

  const Json& json_;
  std::string file_;
  std::string path_;
};

Problem read_problem(const Object& object) {
  Problem problem{object.text("pattern"), object.settings()};
  problem.settings.erase("pattern");
  return problem;
}

Run read_run(const Object& object) {
  Run run;
  run.problem = read_problem(object.object("problem"));
  run.policy = object.text("policy");
  // Traces from before policies had settings lack it.
  if (object.has("policy_settings")) run.policy_settings = object.object("policy_settings").settings();
  run.transfer = object.one_of("transfer", {Transfer::get, Transfer::put, Transfer::two_sided});
  run.completion =
      object.one_of("completion", {Completion::each, Completion::together, Completion::overlapped});
  run.ranks = object.number<int>("ranks", 1);
  run.ranks_per_node = object.number<int>("ranks_per_node", 1);
  run.threads_per_rank = object.number<int>("threads_per_rank", 1);
  run.iterations = object.number("iterations", 0, most_iterations);
  return run;
}

/// The manifest's last member, by which damaged digits are noticed: the checksum of the text before.
std::string checksum_member(std::string_view text_before) {
  return fmt::format(",\n  \"checksum\": \"{:016x}\"\n}}\n", checksum(std::as_bytes(std::span(text_before))));
}

bool ends_with_checksum(std::string_view text) {
  const std::size_t member_bytes = checksum_member("").size();
  if (text.size() < member_bytes) return false;
  const std::string_view before = text.substr(0, text.size() - member_bytes);
  return text.substr(before.size()) == checksum_member(before);
}

}  // namespace

bool belongs_to_trace(const std::string& name) {
  if (name == manifest_file_name || name == places_file_name || name == places_file_name_of_version_1)
    return true;
  constexpr std::string_view prefix = "rank_";
  const auto digits_end = std::find_if(name.begin() + std::min(prefix.size(), name.size()), name.end(),
                                       [](char c) { return c < '0' || c > '9'; });
  const std::string_view number(name.begin() + std::min(prefix.size(), name.size()), digits_end);
  return !number.empty() && number.size() <= 9 && name == rank_file_name(std::stoi(std::string(number)));
}

void remove_trace(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if ((!belongs_to_trace(name) && name != ended_file_name) || !entry.is_regular_file())
      throw InputError(entry.path().string(), "is no file of a trace, so its folder is not replaced",
                       "Move it away");
    files.push_back(entry.path());
  }
  // The manifest goes first, so that the remains of a trace do not look like a trace.
  std::filesystem::remove(folder / manifest_file_name);
  for (const std::filesystem::path& file : files)
    std::filesystem::remove(file);
}

FileKind manifest_kind() {
  return {"a manifest", {}, [](std::string_view content) {
            return content.starts_with(fmt::format("{{\n  \"format\": \"{}\"", format_name));
          }};
}

std::string manifest_text(const Manifest& manifest) {
  const Json json = {{"format", format_name},
                     {"version", format_version},
                     {"run", to_json(manifest.run)},
                     {"implementation", manifest.implementation},
                     {"warmup_iterations", manifest.warmup_iterations},
                     {"oversubscribed", manifest.oversubscribed},
                     {"complete", manifest.complete},
                     {"recorded_at", manifest.recorded_at},
                     {"environment", Json(manifest.environment)},
                     {"offsets_at_start", to_json(manifest.offsets_at_start)},
                     {"offsets_at_end", to_json(manifest.offsets_at_end)}};
  // A program's texts may be any bytes; JSON is UTF-8.
  std::string text = json.dump(2, ' ', false, Json::error_handler_t::replace);
  text.resize(text.size() - sizeof("\n}") + 1);
  return text + checksum_member(text);
}

void write_manifest(const std::filesystem::path& folder, const Manifest& manifest) {
  std::error_code ignored;  // if this fails, so does AtomicFile
  std::filesystem::create_directories(folder, ignored);
  AtomicFile file(folder / manifest_file_name, manifest_kind());
  file.write(manifest_text(manifest));
  file.commit();
}

Manifest parse_manifest(std::string_view text, const std::string& file) {
  Json json;
  try {
    json = Json::parse(text);
  } catch (const Json::parse_error& error) {
    throw InputError(fmt::format("{}: byte {}", file, error.byte), "is not JSON",
                     "Record the trace again, or restore the file");
  } catch (const Json::out_of_range&) {
    throw InputError(file, "holds a number that is too large", "Record the trace again, or restore the file");
  }
  const Object object(json, file, "");
  const bool intact = ends_with_checksum(text);
  const auto check_intact = [&] {
    if (intact) return;
    throw InputError(fmt::format("{}: byte {}", file, text.size()),
                     "does not end with its checksum (damaged, or edited)",
                     "Record the trace again, or restore the file");
  };
  // Earlier versions had none.
  if (json.contains("checksum")) check_intact();
  if (object.text("format") != format_name) object.fail("format", fmt::format("is not '{}'", format_name));
  if (const auto version = object.number("version"); version != format_version) {
    throw InputError(file, fmt::format("version is {} (this finegrain reads {})", version, format_version),
                     "Use the finegrain that recorded it");
  }
  check_intact();
  Manifest manifest;
  manifest.run = read_run(object.object("run"));
  manifest.implementation = object.text("implementation");
  manifest.warmup_iterations = object.number<int>("warmup_iterations", 0);
  manifest.oversubscribed = object.truth("oversubscribed");
  manifest.complete = object.truth("complete");
  manifest.recorded_at = object.text("recorded_at");
  manifest.environment = object.texts("environment");
  const auto ranks = static_cast<std::size_t>(manifest.run.ranks);
  manifest.offsets_at_start = object.offsets("offsets_at_start", ranks);
  // So a manifest claims no more ranks than it has room for.
  if (manifest.offsets_at_start.size() != ranks)
    object.fail("offsets_at_start", fmt::format("is empty, for {} ranks", ranks));
  manifest.offsets_at_end = object.offsets("offsets_at_end", ranks);
  return manifest;
}

Manifest read_manifest(const FileSlice& file) {
  if (file.size_bytes() > largest_manifest_bytes)
    throw InputError(file.name(), fmt::format("is no manifest ({} bytes)", file.size_bytes()),
                     "Restore the file");
  std::string text(file.size_bytes(), '\0');
  file.read(0, std::as_writable_bytes(std::span(text)));
  return parse_manifest(text, file.name());
}

Manifest read_manifest(const std::filesystem::path& folder) {
  const std::filesystem::path path = folder / manifest_file_name;
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) {
    throw InputError(path.string(),
                     fmt::format("cannot be read ({})", error ? error.message() : "is no regular file"),
                     "Give a folder that a recording made");
  }
  return read_manifest(FileSlice(path));
}

}  // namespace finegrain

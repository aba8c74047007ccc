// SPDX-License-Identifier: MIT
#include "traces/places/places_file.hpp"

#include <fmt/format.h>
#include <zstd.h>

#include <cstddef>
#include <exception>
#include <nlohmann/json.hpp>
#include <span>
#include <string_view>

#include "traces/io/atomic_file.hpp"
#include "traces/io/input_error.hpp"
#include "traces/manifest.hpp"

namespace finegrain::places {
namespace {

constexpr const char* remedy = "Remove the file: names are then read from the program";
/// Names of a million lines fit.
constexpr std::uint64_t largest_text_bytes = std::uint64_t{256} << 20;
/// The file is small, and is written once.
constexpr int compression_level = 19;

std::string compressed(const std::string& text) {
  std::string bytes(ZSTD_compressBound(text.size()), '\0');
  const std::size_t size =
      ZSTD_compress(bytes.data(), bytes.size(), text.data(), text.size(), compression_level);
  if (ZSTD_isError(size)) throw InputError(places_file_name, ZSTD_getErrorName(size));
  bytes.resize(size);
  return bytes;
}

/// @param bytes  one zstd frame, or the text of version 1
std::string decompressed(const std::string& bytes, const std::string& name) {
  if (bytes.starts_with('{')) return bytes;
  const unsigned long long text_bytes = ZSTD_getFrameContentSize(bytes.data(), bytes.size());
  if (text_bytes > largest_text_bytes)  // or zstd's values for errors, which are larger
    throw InputError(name, "does not hold names of places (it is no zstd frame of a known size)", remedy);
  std::string text(text_bytes, '\0');
  const std::size_t size = ZSTD_decompress(text.data(), text.size(), bytes.data(), bytes.size());
  if (ZSTD_isError(size))
    throw InputError(name, fmt::format("does not hold names of places ({})", ZSTD_getErrorName(size)),
                     remedy);
  return text;
}

SourceLine line_of_version_1(const nlohmann::json& line) {
  return {line.at("function").get<std::string>(), line.at("file").get<std::string>(),
          line.at("line").get<int>()};
}

std::vector<SourceLine> lines_of_version_1(const nlohmann::json& json) {
  std::vector<SourceLine> lines;
  for (const auto& line : json)
    lines.push_back(line_of_version_1(line));
  return lines;
}

/// @param json  a function's and a file's number among the texts, and a line, again and again
std::vector<SourceLine> lines_of(const nlohmann::json& json, const nlohmann::json& texts) {
  std::vector<SourceLine> lines;
  for (std::size_t n = 0; n < json.size(); n += 3)
    lines.push_back({texts.at(json.at(n).get<std::size_t>()).get<std::string>(),
                     texts.at(json.at(n + 1).get<std::size_t>()).get<std::string>(),
                     json.at(n + 2).get<int>()});
  return lines;
}

KnownLines lines_in(const nlohmann::json& json, const std::string& name) {
  const auto& version = json.at("version");
  if (json.at("format") != "finegrain places" || (version != 1 && version != 2))
    throw InputError(name, "is not version 1 or 2 of a trace's names of places",
                     "Use the finegrain that recorded it");
  KnownLines known;
  for (const auto& object : json.at("objects")) {
    const auto build_id = object.at("build_id").get<std::string>();
    for (const auto& [address, lines] : object.at("addresses").items())
      known[{build_id, std::stoull(address, nullptr, 16)}] =
          version == 1 ? lines_of_version_1(lines) : lines_of(lines, json.at("texts"));
  }
  return known;
}

/// Texts that stand once in the file, and their numbers.
class Texts {
 public:
  std::size_t number_of(const std::string& text) {
    const auto [known, is_new] = numbers_.try_emplace(text, numbers_.size());
    if (is_new) texts_.push_back(text);
    return known->second;
  }
  nlohmann::ordered_json take() { return std::move(texts_); }

 private:
  std::map<std::string, std::size_t> numbers_;
  nlohmann::ordered_json texts_ = nlohmann::ordered_json::array();
};

nlohmann::ordered_json to_json(const KnownLines& known) {
  Texts texts;
  auto objects = nlohmann::ordered_json::array();
  for (const auto& [at, lines] : known) {
    const auto& [build_id, address] = at;
    if (objects.empty() || objects.back()["build_id"] != build_id)
      objects.push_back({{"build_id", build_id}, {"addresses", nlohmann::ordered_json::object()}});
    auto numbers = nlohmann::ordered_json::array();
    for (const SourceLine& line : lines) {
      numbers.push_back(texts.number_of(line.function));
      numbers.push_back(texts.number_of(line.file));
      numbers.push_back(line.line);
    }
    objects.back()["addresses"][fmt::format("{:x}", address)] = std::move(numbers);
  }
  return {{"format", "finegrain places"}, {"version", 2}, {"texts", texts.take()}, {"objects", objects}};
}

}  // namespace

KnownLines read_places(const FileSlice& file) {
  std::string bytes(file.size_bytes(), '\0');
  file.read(0, std::as_writable_bytes(std::span(bytes)));
  const std::string text = decompressed(bytes, file.name());
  try {
    return lines_in(nlohmann::json::parse(text), file.name());
  } catch (const nlohmann::json::parse_error& error) {
    throw InputError(fmt::format("{}: byte {}", file.name(), error.byte), "is no JSON", remedy);
  } catch (const InputError&) {
    throw;
  } catch (const std::exception& error) {
    throw InputError(file.name(), fmt::format("does not hold names of places ({})", error.what()), remedy);
  }
}

void write_places(const KnownLines& lines, const std::filesystem::path& folder) {
  AtomicFile file(folder / places_file_name, {"a trace's names of places", {".zst"}, {}}, {{}, true});
  file.write(
      compressed(to_json(lines).dump(-1, ' ', true, nlohmann::ordered_json::error_handler_t::replace)));
  file.commit();
}

}  // namespace finegrain::places

// SPDX-License-Identifier: MIT
#include "sim/platform/platform_document.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <optional>
#include <sstream>
#include <string_view>
#include <tuple>
#include <utility>

#include "traces/io/input_error.hpp"
#include "traces/io/mapped_file.hpp"

namespace finegrain::platform {
namespace {

/// Whether a setting makes SimGrid 3.32 open files: to write a trace, or to read a file that it names.
bool opens_files(std::string_view setting) {
  return setting == "path" || setting.starts_with("tracing") ||
         setting.find("file") != std::string_view::npos || setting == "smpi/replay";
}

/// The attributes of SimGrid's DTD that name files end in "_file" (a host's, a link's or a peer's profiles);
/// <include> and <trace> have a "file", disks of before 3.27 a "content".
bool names_file(std::string_view element, std::string_view attribute) {
  return attribute == "file" || attribute.ends_with("_file") ||
         (attribute == "content" && element.starts_with("storage"));
}

/// What in a node would make SimGrid open another file, as text for an error; empty if nothing would.
std::string reach_outside(const pugi::xml_node& node) {
  const std::string_view element = node.name();
  if (node.type() == pugi::node_doctype && std::string_view(node.value()).find('[') != std::string_view::npos)
    return "the DOCTYPE declares entities";
  if (element == "include") return "<include>";
  if (element == "prop" && std::string_view(node.parent().name()) == "config" &&
      opens_files(node.attribute("id").value()))
    return fmt::format("the setting '{}'", node.attribute("id").value());
  for (const pugi::xml_attribute& attribute : node.attributes()) {
    if (names_file(element, attribute.name())) return fmt::format("<{} {}=...>", element, attribute.name());
  }
  return {};
}

/// The parser of SimGrid 3.32 writes beyond its stack if about 450 elements are nested.
constexpr int deepest = 100;

/// Finds the first node that would open another file, or is nested too deeply. It walks without recursion.
struct TroubleFinder : pugi::xml_tree_walker {
  bool for_each(pugi::xml_node& node) override {
    what = reach_outside(node);
    too_deep = depth() > deepest;
    found = node;
    return what.empty() && !too_deep;
  }
  bool too_deep = false;
  std::string what;
  pugi::xml_node found;
};

/// The path of a file, and what the file system says of it: another state may be another text.
using FileState = std::tuple<std::string, dev_t, ino_t, off_t, time_t, long>;

std::optional<FileState> state_of(const std::filesystem::path& file) {
  struct stat status {};
  if (::stat(file.c_str(), &status) != 0) return std::nullopt;
  return FileState(file.string(), status.st_dev, status.st_ino, status.st_size, status.st_mtim.tv_sec,
                   status.st_mtim.tv_nsec);
}

}  // namespace

PlatformDocument::PlatformDocument(const std::filesystem::path& file) : content_(opened(file)) {}

std::shared_ptr<PlatformDocument::Content> PlatformDocument::opened(const std::filesystem::path& file) {
  static std::mutex mutex;
  static std::map<FileState, std::weak_ptr<Content>> known;
  const std::lock_guard lock(mutex);
  const std::optional<FileState> state = state_of(file);
  if (state)
    if (auto content = known[*state].lock()) return content;
  const MappedFile mapped(file);
  auto content = std::make_shared<Content>(
      file.string(),
      std::string(reinterpret_cast<const char*>(mapped.bytes().data()), mapped.bytes().size()));
  if (state) known[*state] = content;
  return content;
}

PlatformDocument::Content::Content(std::string name, std::string of_file)
    : file(std::move(name)), text(std::move(of_file)) {
  for (std::size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n', end + 1))
    line_ends.push_back(static_cast<std::ptrdiff_t>(end));
  // pugixml reads no external file and expands no entity of a DOCTYPE.
  const auto parsed = xml.load_buffer(
      text.data(), text.size(),
      pugi::parse_default | pugi::parse_doctype | pugi::parse_declaration | pugi::parse_comments,
      pugi::encoding_utf8);
  if (!parsed) {
    throw InputError(place_of(parsed.offset), fmt::format("malformed XML ({})", parsed.description()),
                     "Give a SimGrid platform file");
  }
  const pugi::xml_node root = xml.document_element();
  if (std::string_view(root.name()) != "platform") {
    throw InputError(
        place_of(root.offset_debug()),
        fmt::format("<{}> is not a SimGrid platform (its first element is <platform>)", root.name()),
        "Give a platform file, e.g. platforms/abel.xml");
  }
  TroubleFinder trouble;
  xml.traverse(trouble);
  if (trouble.too_deep) {
    throw InputError(place_of(trouble.found.offset_debug()),
                     fmt::format("elements are nested more than {} deep (SimGrid cannot read that)", deepest),
                     "Use fewer zones in zones");
  }
  if (!trouble.what.empty()) {
    throw InputError(place_of(trouble.found.offset_debug()),
                     fmt::format("{} (a platform must not reach other files)", trouble.what),
                     "Leave it out, or write a profile into the file: <trace id=... periodicity=...>");
  }
}

std::string PlatformDocument::Content::place_of(std::ptrdiff_t byte) const {
  const auto lines_before = std::ranges::lower_bound(line_ends, byte) - line_ends.begin();
  return fmt::format("{}:{}", file, lines_before + 1);
}

pugi::xml_document& PlatformDocument::xml_to_change() {
  content_ = std::make_shared<Content>(content_->file, content_->text);
  return content_->xml;
}

std::string PlatformDocument::saved() const {
  std::ostringstream saved;
  xml().save(saved, "  ");
  return saved.str();
}

std::optional<int> PlatformDocument::cores() const {
  std::optional<int> fewest;
  for (const pugi::xpath_node& match : xml().select_nodes("//host[@core] | //cluster[@core]")) {
    const int cores = match.node().attribute("core").as_int();
    if (cores > 0) fewest = std::min(cores, fewest.value_or(cores));
  }
  return fewest;
}

bool PlatformDocument::changes_over_time() const {
  return static_cast<bool>(xml().select_node("//trace_connect"));
}

}  // namespace finegrain::platform

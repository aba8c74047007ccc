// SPDX-License-Identifier: MIT
#include "sim/platform/scaled_links.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <map>
#include <string_view>

#include "sim/platform/factors.hpp"
#include "sim/platform/link_changes.hpp"
#include "sim/platform/platform_document.hpp"
#include "traces/io/atomic_file.hpp"
#include "traces/io/input_error.hpp"
#include "traces/io/units.hpp"

namespace finegrain::platform {
namespace {

/// The places where SimGrid's DTD has a latency of a link.
constexpr const char* latencies =
    "//link/@latency | //backbone/@latency | //cluster/@lat | //cluster/@bb_lat | //cabinet/@lat | "
    "//peer/@lat";

/// The id with a star in place of every run of digits.
std::string without_numbers(std::string_view id) {
  std::string text;
  for (const char c : id) {
    const bool is_digit = std::isdigit(static_cast<unsigned char>(c)) != 0;
    if (!is_digit)
      text += c;
    else if (!text.ends_with('*'))
      text += '*';
  }
  return text;
}

double bandwidth_of(const pugi::xpath_node& match, const PlatformDocument& document) {
  return parse_bandwidth_bytes_per_s(match.attribute().value(), document.place_of(match.parent()));
}

double latency_of(const pugi::xpath_node& match, const PlatformDocument& document) {
  return parse_time_s(match.attribute().value(), document.place_of(match.parent()));
}

/// What the file says of a link besides its id. Links of equal descriptions are alike.
struct Description {
  double bandwidth_bytes_per_s = 0;
  double latency_s = 0;
  std::vector<std::string> changes;           ///< text_of() without the id
  std::map<std::string, std::string> others;  ///< attributes
  auto operator<=>(const Description&) const = default;
};

Description description_of(const pugi::xml_node& link, const PlatformDocument& document,
                           const std::vector<LinkChange>& changes) {
  Description description;
  const std::string_view id = link.attribute("id").value();
  for (const LinkChange& change : changes)
    if (is_of_link(change, id))
      description.changes.push_back(text_of(change).substr(link_change_mark.size() + id.size()));
  for (const pugi::xml_attribute& attribute : link.attributes()) {
    const std::string name = attribute.name();
    if (name == "bandwidth")
      description.bandwidth_bytes_per_s = bandwidth_of({attribute, link}, document);
    else if (name == "latency")
      description.latency_s = latency_of({attribute, link}, document);
    else if (name != "id")
      description.others[name] = attribute.value();
  }
  return description;
}

/// The classes of all links in a document. Of <link>s whose ids differ only in numbers, those that are alike
/// are one class, so a slower link among others stands alone. If there are many kinds of them, the slowest
/// kinds are classes of their own, and the other links are one class.
class ClassesOfLinks {
 public:
  explicit ClassesOfLinks(const PlatformDocument& document) {
    const std::vector<LinkChange> changes = link_changes(document);
    std::map<std::string, std::map<Description, std::vector<std::string>>> links;
    for (const auto& match : document.xml().select_nodes("//link")) {
      const std::string id = match.node().attribute("id").value();
      links[without_numbers(id)][description_of(match.node(), document, changes)].push_back(id);
    }
    for (const auto& [pattern, kinds] : links)
      name_kinds(pattern, kinds);
  }

  std::string name(const pugi::xpath_node& match) const {
    const std::string_view element = match.parent().name();
    const std::string id = match.parent().attribute("id").value();
    if (element == "link") return classes_.at(id);
    if (element == "backbone") return fmt::format("backbone {}", id);
    const std::string_view attribute = match.attribute().name();
    if (attribute.starts_with("bb_")) return fmt::format("backbone of {}", id);
    if (attribute == "limiter_link") return fmt::format("limiters of {}", id);
    return fmt::format("links of {}", id);
  }

  /// The class of a changed link; empty if it is of a kind without a class.
  std::string name(const LinkChange& change, const PlatformDocument& document) const {
    for (const auto& [id, name] : classes_)
      if (is_of_link(change, id)) return name;
    std::string id;  // of the cluster
    for (const pugi::xpath_node& cluster : document.xml().select_nodes("//cluster")) {
      const std::string one = cluster.node().attribute("id").value();
      if (change.link.starts_with(one + "_") && one.size() >= id.size()) id = one;
    }
    if (id.empty()) return {};
    const std::string rest = change.link.substr(id.size());
    if (rest == "_backbone") return fmt::format("backbone of {}", id);
    return fmt::format("{} of {}", rest.ends_with("_limiter") ? "limiters" : "links", id);
  }

 private:
  /// @param kinds  the ids of each, in the order of their bandwidths
  void name_kinds(const std::string& pattern, const std::map<Description, std::vector<std::string>>& kinds) {
    constexpr std::size_t most_kinds = 8;
    std::size_t kind = 0;
    std::vector<std::string> others;
    for (const auto& [description, ids] : kinds) {
      if (kinds.size() == 1)
        name_links(ids, "link " + pattern);
      else if (kinds.size() <= most_kinds || ++kind < most_kinds)
        name_links(ids, name_of(pattern, ids));
      else
        others.insert(others.end(), ids.begin(), ids.end());
    }
    name_links(others, fmt::format("link {}: {} faster ones", pattern, others.size()));
  }

  void name_links(const std::vector<std::string>& ids, const std::string& name) {
    for (const std::string& id : ids)
      classes_[id] = name;
  }

  /// "link up-7", "link up-3, up-7", "link up-*: 14 from up-0 to up-15".
  static std::string name_of(const std::string& pattern, const std::vector<std::string>& ids) {
    constexpr std::size_t most_named = 3;
    if (ids.size() <= most_named) return fmt::format("link {}", fmt::join(ids, ", "));
    return fmt::format("link {}: {} from {} to {}", pattern, ids.size(), ids.front(), ids.back());
  }

  std::map<std::string, std::string> classes_;  ///< by the ids of <link>s
};

/// The numbers of changes replace those of links, so they are scaled, too. Factors of changes stay.
void scale_changes(const PlatformDocument& document, const LinkFactors& factors,
                   const ClassesOfLinks& classes) {
  const auto scale = [](std::optional<LinkNumber>& number, double factor) {
    if (number && !number->is_factor) number->value *= factor;
  };
  for (pugi::xml_node node : nodes_of_link_changes(document)) {
    LinkChange change = parse_link_change(node.attribute("value").value(), document.place_of(node));
    if (!factors.links.empty() && classes.name(change, document) != factors.links) continue;
    scale(change.bandwidth_bytes_per_s, factors.bandwidth);
    scale(change.latency_s, factors.latency);
    node.attribute("value").set_value(text_of(change).c_str());
  }
}

std::string scaled_xml(const std::filesystem::path& file, const LinkFactors& factors) {
  PlatformDocument document(file);
  const ClassesOfLinks classes(document);
  const pugi::xml_document& xml = document.xml_to_change();
  if (xml.select_node("//trace_connect[@kind != 'SPEED']"))  // SPEED is a host's
    throw InputError(file.string(),
                     "a <trace_connect> changes links during the run, which no factor multiplies",
                     "Leave the factor out, or the profile");
  const auto is_meant = [&](const pugi::xpath_node& match) {
    return factors.links.empty() || classes.name(match) == factors.links;
  };
  for (const auto& match : xml.select_nodes(bandwidth_attributes))
    if (is_meant(match))
      match.attribute().set_value(
          fmt::format("{}Bps", factors.bandwidth * bandwidth_of(match, document)).c_str());
  for (const auto& match : xml.select_nodes(latencies))
    if (is_meant(match))
      match.attribute().set_value(fmt::format("{}s", factors.latency * latency_of(match, document)).c_str());
  scale_changes(document, factors, classes);
  return document.saved();
}

/// The link's number with its changes; where they are of one direction, the worse one.
double with_changes(double number, const pugi::xpath_node& match, const std::vector<LinkChange>& changes,
                    std::optional<LinkNumber> LinkChange::*member, double (*worse)(double, double)) {
  if (std::string_view(match.parent().name()) != "link") return number;
  const std::string_view id = match.parent().attribute("id").value();
  double of_both = number;
  for (const LinkChange& change : changes)
    if (change.link == id && change.*member) of_both = (change.*member)->applied_to(of_both);
  double worst = of_both;
  for (const LinkChange& change : changes)
    if (change.link != id && is_of_link(change, id) && change.*member)
      worst = worse(worst, (change.*member)->applied_to(of_both));
  return worst;
}

}  // namespace

std::vector<LinkClass> link_classes(const std::filesystem::path& file) {
  const PlatformDocument document(file);
  const ClassesOfLinks names(document);
  const std::vector<LinkChange> changes = link_changes(document);
  std::vector<LinkClass> classes;
  const auto find_or_add = [&](const std::string& name) -> LinkClass& {
    const auto known = std::ranges::find(classes, name, &LinkClass::name);
    return known != classes.end() ? *known : classes.emplace_back(LinkClass{name, {}, {}});
  };
  for (const auto& match : document.xml().select_nodes(bandwidth_attributes)) {
    const double bandwidth =
        with_changes(bandwidth_of(match, document), match, changes, &LinkChange::bandwidth_bytes_per_s,
                     [](double one, double other) { return std::min(one, other); });
    std::optional<double>& slowest = find_or_add(names.name(match)).bandwidth_bytes_per_s;
    slowest = std::min(slowest.value_or(bandwidth), bandwidth);
  }
  for (const auto& match : document.xml().select_nodes(latencies)) {
    const double latency = with_changes(latency_of(match, document), match, changes, &LinkChange::latency_s,
                                        [](double one, double other) { return std::max(one, other); });
    std::optional<double>& longest = find_or_add(names.name(match)).latency_s;
    longest = std::max(longest.value_or(latency), latency);
  }
  // Links that a cluster makes are no elements. A backbone is one link; of many, the worst counts.
  for (const LinkChange& change : changes) {
    const std::string name = names.name(change, document);
    if (!name.starts_with("links of ") && !name.starts_with("limiters of ") &&
        !name.starts_with("backbone of "))
      continue;
    const bool is_one = name.starts_with("backbone of ");
    LinkClass& of_links = find_or_add(name);
    if (change.bandwidth_bytes_per_s) {
      const double before = of_links.bandwidth_bytes_per_s.value_or(0);
      const double now = change.bandwidth_bytes_per_s->applied_to(before);
      of_links.bandwidth_bytes_per_s = is_one ? now : std::min(before, now);
    }
    if (change.latency_s) {
      const double before = of_links.latency_s.value_or(0);
      const double now = change.latency_s->applied_to(before);
      of_links.latency_s = is_one ? now : std::max(before, now);
    }
  }
  return classes;
}

FileWithFactors with_link_factors(const std::filesystem::path& file,
                                  const std::vector<std::string>& overrides) {
  LinkFactors factors;
  std::vector<std::string> changes;
  for (const std::string& text : overrides) {
    if (text.starts_with(link_change_mark)) {
      changes.push_back(text);
      continue;
    }
    const std::size_t equals = text.find('=');
    const std::string name = text.substr(0, equals);
    if (std::ranges::find(numbers_of_links, name) == numbers_of_links.end()) continue;
    const double factor = parse_factor(std::string_view(text).substr(equals + 1), "--set " + name);
    (name == "link_bandwidth" ? factors.bandwidth : factors.latency) *= factor;
  }
  const bool are_scaled = factors.bandwidth != 1 || factors.latency != 1;
  if (!are_scaled && changes.empty()) return {file, nullptr};
  const auto folder =
      std::make_shared<Temporary>(std::filesystem::temp_directory_path() / "finegrain-platform");
  folder->make_folder();
  const std::filesystem::path scaled = folder->path() / file.filename();
  if (are_scaled) std::ofstream(scaled) << scaled_xml(file, factors);
  if (!changes.empty()) {
    const std::string text = with_link_changes(PlatformDocument(are_scaled ? scaled : file), changes);
    std::ofstream(scaled) << text;
  }
  return {scaled, folder};
}

ScaledPlatform::ScaledPlatform(const Platform& platform, const LinkFactors& factors) : platform_(platform) {
  if (factors.bandwidth == 1 && factors.latency == 1) return;
  copy_.emplace(scaled_xml(platform.file, factors), platform.file.string());
  platform_.file = copy_->path();
}

}  // namespace finegrain::platform

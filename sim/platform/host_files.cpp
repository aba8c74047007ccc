// SPDX-License-Identifier: MIT
// A hostfile of two nodes and a rankfile of three ranks:
//
//     node1 slots=2        # ranks 0 and 1 by --placement block
//     node2 slots=4
//
//     rank 0=node2 slot=0:0-1
//     rank 1=node1 slot=0
//     rank 2=node2 slot=1:*
//
// The second puts ranks 0 and 2 on node2, which is the first node because rank 0 is there.
#include "sim/platform/host_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "traces/io/host_names.hpp"
#include "traces/io/input_error.hpp"
#include "traces/io/mapped_file.hpp"
#include "traces/io/nearest.hpp"
#include "traces/io/units.hpp"

namespace finegrain::platform {
namespace {

constexpr int most_slots = 1'000'000;

/// A line that says something, without its comment.
struct HostLine {
  std::string where;
  std::vector<std::string> words;
};

std::vector<HostLine> lines_of_hosts(const std::filesystem::path& file) {
  const MappedFile mapped(file);
  const std::string_view text = mapped.text();
  constexpr std::string_view blanks = " \t\r\v\f";
  std::vector<HostLine> lines;
  int number = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::string_view line = text.substr(begin, end - begin);
    begin = end + 1;
    ++number;
    line = line.substr(0, line.find('#'));
    std::vector<std::string> words;
    for (std::size_t at = line.find_first_not_of(blanks); at != std::string_view::npos;
         at = line.find_first_not_of(blanks, at)) {
      const std::size_t stop = std::min(line.find_first_of(blanks, at), line.size());
      words.emplace_back(line.substr(at, stop - at));
      at = stop;
    }
    if (!words.empty()) lines.push_back({fmt::format("{}:{}", file.string(), number), std::move(words)});
  }
  if (lines.empty()) throw InputError(file.string(), "it names no hosts", "Name one on each line");
  return lines;
}

/// A number that is all of the text; none: it is not one.
std::optional<int> whole_number(std::string_view text, int most) {
  int number = 0;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, number);
  if (read.ec != std::errc() || read.ptr != end || number < 0 || number > most) return std::nullopt;
  return number;
}

/// The hosts of a platform by their names. A host's short name stands for it if no other host has it.
class KnownHosts {
 public:
  explicit KnownHosts(const std::vector<std::string>& hosts) : hosts_(hosts) {
    for (const std::string& host : hosts)
      names_.insert(host);
    for (const std::string& host : hosts) {
      const auto [place, is_new] = of_short_names_.emplace(short_name(host), host);
      if (!is_new) place->second.clear();
    }
  }

  /// The platform's name of a host. Files may have "node1" for "node1.cluster", or the other way round.
  const std::string& find(const std::string& name, const std::string& where) const {
    if (const auto known = names_.find(name); known != names_.end()) return *known;
    const auto other = of_short_names_.find(short_name(name));
    const bool says_both = other != of_short_names_.end() && other->second.find('.') != std::string::npos &&
                           name.find('.') != std::string::npos;
    if (other != of_short_names_.end() && !other->second.empty() && !says_both) return other->second;
    const std::string near = nearest(name, hosts_);
    throw InputError(
        where,
        fmt::format("'{}' is not a host of the platform, which has {} to {}{}", name, hosts_.front(),
                    hosts_.back(), near.empty() ? "" : fmt::format(" (did you mean {}?)", near)),
        "Correct it");
  }

  /// "+n2": the third host. @pre the text starts with +n
  const std::string& at(const std::string& text, const std::string& where) const {
    const std::optional<int> place = whole_number(std::string_view(text).substr(2), most_slots);
    if (!place || std::cmp_greater_equal(*place, hosts_.size()))
      throw InputError(where,
                       fmt::format("'{}' is not one of {}, which are +n0 to +n{}", text,
                                   format_count(std::ssize(hosts_), "node"), hosts_.size() - 1),
                       "Correct it");
    return hosts_[static_cast<std::size_t>(*place)];
  }

 private:
  static std::string short_name(const std::string& host) { return host.substr(0, host.find('.')); }

  const std::vector<std::string>& hosts_;
  std::set<std::string> names_;
  std::unordered_map<std::string, std::string> of_short_names_;  ///< empty: several hosts have it
};

/// What one line says of its hosts.
struct ListedHosts {
  std::vector<std::string> names;
  std::optional<int> slots;
};

int slots_in(std::string_view text, std::string_view word, const std::string& where) {
  const std::optional<int> slots = whole_number(text, most_slots);
  if (!slots || *slots < 1)
    throw InputError(where,
                     fmt::format("'{}' does not give a number of slots from 1 to {}", word, most_slots),
                     "Write it like slots=4");
  return *slots;
}

ListedHosts hosts_in(const HostLine& line) {
  ListedHosts listed;
  std::string names = line.words.front();
  const std::size_t colon = names.rfind(':');
  if (colon != std::string::npos) {
    listed.slots = slots_in(std::string_view(names).substr(colon + 1), names, line.where);
    names.resize(colon);
  }
  listed.names = names_in_hostlist(names, line.where);
  std::optional<int> most;
  for (const std::string& word : std::vector(line.words.begin() + 1, line.words.end())) {
    const std::size_t equals = word.find('=');
    std::string key = word.substr(0, equals);
    std::ranges::replace(key, '_', '-');
    const bool is_most = key == "max-slots" || key == "slots-max";
    if ((key != "slots" && key != "count" && key != "cpu" && !is_most) || equals == std::string::npos)
      throw InputError(line.where, fmt::format("'{}' is neither slots=N nor max-slots=N", word),
                       "Write it like node1 slots=4, node1:4 or node[1-4]");
    (is_most ? most : listed.slots) = slots_in(std::string_view(word).substr(equals + 1), word, line.where);
  }
  if (most && listed.slots && *most < *listed.slots)
    throw InputError(line.where, fmt::format("max-slots={} is less than slots={}", *most, *listed.slots),
                     "Correct one of them");
  if (most && !listed.slots) listed.slots = most;
  return listed;
}

/// The slots of a rank in a rankfile: "0:1-2", "1:*", "p3", "0-3,8"; their form only.
bool is_slot_list(std::string_view text) {
  if (text.empty()) return false;
  bool after_digit = false;
  for (const char c : text) {
    const bool is_digit = (c >= '0' && c <= '9') || c == '*';
    if (!is_digit && !after_digit && c != 'p') return false;
    if (!is_digit && std::string_view(":-,;p").find(c) == std::string_view::npos) return false;
    after_digit = is_digit;
  }
  return after_digit;
}

/// A line "rank 3=node1 slot=0:1-2".
struct RankLine {
  int rank;
  std::string host;
  std::string slots;  ///< empty: it gives none
};

RankLine rank_and_host(const HostLine& line) {
  // Blanks around '=' do not count.
  std::string text;
  for (const std::string& word : line.words) {
    const bool joins = text.ends_with('=') || word.starts_with('=');
    text += (joins || text.empty() ? "" : " ") + word;
  }
  constexpr const char* example = "Write it like rank 3=node1 slot=0:1-2";
  const std::size_t equals = text.find('=');
  const std::size_t blank = std::min(text.find(' ', std::min(equals, text.size())), text.size());
  constexpr std::string_view begin = "rank ";
  std::optional<int> rank;
  if (text.starts_with(begin) && equals != std::string::npos)
    rank = whole_number(std::string_view(text).substr(begin.size(), equals - begin.size()), most_slots);
  if (!rank || blank == equals + 1)
    throw InputError(line.where, fmt::format("'{}' does not give a rank its host", text), example);
  const std::string rest = text.substr(std::min(blank + 1, text.size()));
  constexpr std::string_view slot = "slot=";
  if (!rest.empty() && (!rest.starts_with(slot) || !is_slot_list(std::string_view(rest).substr(slot.size()))))
    throw InputError(line.where, fmt::format("'{}' is not a list of slots", rest), example);
  return {*rank, text.substr(equals + 1, blank - equals - 1), rest.empty() ? "" : rest.substr(slot.size())};
}

/// The hosts of all ranks, in their order.
std::vector<std::string> hosts_by_rank(const std::vector<HostLine>& lines, const KnownHosts& known,
                                       const KnownHosts& numbered) {
  std::vector<std::string> hosts(lines.size());
  std::vector<std::string> places(lines.size());  // where each rank is given
  std::map<std::pair<std::string, std::string>, int> ranks_of_cores;
  for (const HostLine& line : lines) {
    const auto [rank, name, slots] = rank_and_host(line);
    if (std::cmp_greater_equal(rank, lines.size()))
      throw InputError(line.where,
                       fmt::format("rank {} in a file of {}", rank, format_count(std::ssize(lines), "rank")),
                       "Count them from 0, without gaps");
    std::string& place = places[static_cast<std::size_t>(rank)];
    if (!place.empty())
      throw InputError(line.where, fmt::format("rank {} has a host at {}", rank, place), "Give it one");
    place = line.where;
    const std::string& host =
        name.starts_with("+n") ? numbered.at(name, line.where) : known.find(name, line.where);
    hosts[static_cast<std::size_t>(rank)] = host;
    const bool is_one_core = !slots.empty() && slots.find_first_of("*-,;") == std::string::npos;
    if (!is_one_core) continue;
    const auto [other, is_free] = ranks_of_cores.emplace(std::pair(host, slots), rank);
    if (!is_free)
      throw InputError(
          line.where,
          fmt::format("rank {} is on slot {} of {}, as rank {} is (each needs a core of its own)", rank,
                      slots, host, other->second),
          "Give it another");
  }
  return hosts;
}

}  // namespace

NodeList read_hostfile(const std::filesystem::path& file, const std::vector<std::string>& hosts) {
  const KnownHosts known(hosts);
  struct Entry {
    int lines = 0;
    int slots = 0;
    bool has_number = false;
  };
  std::unordered_map<std::string, Entry> entries;
  NodeList list;
  for (const HostLine& line : lines_of_hosts(file)) {
    const ListedHosts listed = hosts_in(line);
    for (const std::string& name : listed.names) {
      const std::string& host = known.find(name, line.where);
      Entry& entry = entries[host];
      if (entry.lines++ == 0) list.nodes.push_back({host, {}});
      entry.slots += listed.slots.value_or(1);
      entry.has_number = entry.has_number || listed.slots;
    }
  }
  for (NodeList::Named& node : list.nodes)
    if (const Entry& entry = entries.at(node.host); entry.has_number || entry.lines > 1)
      node.slots = entry.slots;
  return list;
}

NodeList read_rankfile(const std::filesystem::path& file, const std::vector<std::string>& hosts,
                       const NodeList& nodes) {
  std::vector<std::string> allowed;
  for (const NodeList::Named& node : nodes.nodes)
    allowed.push_back(node.host);
  const KnownHosts known(hosts);
  const KnownHosts numbered(allowed.empty() ? hosts : allowed);
  const std::vector<HostLine> lines = lines_of_hosts(file);
  std::vector<std::string> of_ranks;
  if (std::ranges::any_of(lines, [](const HostLine& line) { return line.words.front() == "rank"; })) {
    of_ranks = hosts_by_rank(lines, known, numbered);
  } else {
    for (const HostLine& line : lines) {
      if (line.words.size() > 1)
        throw InputError(line.where, fmt::format("'{}' follows the name of a host", line.words[1]),
                         "Write it like rank 3=node1 slot=0, or one name for each rank");
      for (const std::string& name : names_in_hostlist(line.words.front(), line.where))
        of_ranks.push_back(known.find(name, line.where));
    }
  }
  std::unordered_map<std::string, int> ranks_of_hosts;
  for (const std::string& host : of_ranks)
    ++ranks_of_hosts[host];
  NodeList list;
  std::unordered_map<std::string, int> places;
  const auto add = [&](const std::string& host) {
    if (ranks_of_hosts.contains(host) && places.emplace(host, static_cast<int>(list.nodes.size())).second)
      list.nodes.push_back({host, ranks_of_hosts.at(host)});
  };
  for (const std::string& host : allowed)
    add(host);
  for (std::size_t rank = 0; rank < of_ranks.size(); ++rank) {
    const std::string& host = of_ranks[rank];
    if (!allowed.empty() && !places.contains(host))
      throw InputError(file.string(),
                       fmt::format("rank {} is on {}, which is not in the hostfile", rank, host),
                       "Add it there");
    add(host);
    list.nodes_of_ranks.push_back(places.at(host));
  }
  for (const NodeList::Named& node : nodes.nodes) {
    const auto used = ranks_of_hosts.find(node.host);
    if (node.slots && used != ranks_of_hosts.end() && used->second > *node.slots)
      throw InputError(
          file.string(),
          fmt::format("{} on {}, which has {} in the hostfile", format_count(used->second, "rank"), node.host,
                      format_count(*node.slots, "slot")),
          "Correct one of them");
  }
  return list;
}

}  // namespace finegrain::platform

// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/platform/askable_routes.hpp"
#include "sim/platform/link_profiles.hpp"
#include "sim/platform/memory_file.hpp"
#include "sim/platform/node_list.hpp"
#include "sim/platform/platform_document.hpp"
#include "sim/platform/rails.hpp"
#include "sim/platform/speed_profile.hpp"

namespace finegrain::platform {

/// A link of a Wi-Fi zone: all its stations share its time. SimGrid itself does not say its rate.
struct WifiLink {
  std::vector<double> rates_bytes_per_s;  ///< each station has one of them
  std::string where;                      ///< "file:line"
};

/// A platform file on its way to SimGrid 3.32: checked for what SimGrid dies of without a reason, and with
/// what finegrain does itself.
class SimgridFile {
 public:
  /// @throws InputError with file and line
  explicit SimgridFile(const std::filesystem::path& file);

  /// What SimGrid is to load: a copy in memory, without what SimGrid 3.32 cannot read.
  std::filesystem::path path() const { return copy_.path(); }
  const std::vector<LinkProfile>& profiles() const { return profiles_; }
  const std::vector<SpeedProfile>& speed_profiles() const { return speed_profiles_; }
  /// By the names of links.
  const std::map<std::string, WifiLink>& wifi_links() const { return wifi_links_; }
  const AskableRoutes& askable_routes() const { return askable_routes_; }
  /// Which hosts are nodes, if the file names them.
  const std::optional<NodeList>& listed() const { return listed_; }
  /// How many of the hosts are nodes, if the file says so.
  std::optional<int> nodes() const { return nodes_; }
  const Rails& rails() const { return rails_; }
  /// "file:line" of a setting in a <config>; the file where it is not found.
  std::string place_of_setting(std::string_view name) const;

 private:
  void find_wifi_links();

  std::filesystem::path file_;
  PlatformDocument document_;
  std::vector<LinkProfile> profiles_;
  std::vector<SpeedProfile> speed_profiles_;
  std::map<std::string, WifiLink> wifi_links_;
  AskableRoutes askable_routes_;
  std::optional<int> nodes_;
  Rails rails_;
  std::optional<NodeList> listed_;
  MemoryFile copy_;
};

}  // namespace finegrain::platform

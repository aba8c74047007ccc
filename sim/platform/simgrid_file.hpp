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
#include "sim/platform/regular/regular_cluster.hpp"
#include "sim/platform/speed_profile.hpp"

namespace finegrain::platform {

/// A link of a Wi-Fi zone: all its stations share its time. SimGrid itself does not say its rate.
struct WifiLink {
  std::vector<double> rates_bytes_per_s;  ///< each station has one of them
  std::string where;                      ///< "file:line"
};

/// How the hosts and links of regular clusters come about.
enum class Clusters {
  by_rule,    ///< computed from their numbers; SimGrid loads the first host alone
  by_simgrid  ///< SimGrid makes them all
};

/// A platform file on its way to SimGrid 3.32: checked for what SimGrid dies of without a reason, and with
/// what finegrain does itself.
class SimgridFile {
 public:
  /// @throws InputError with file and line
  explicit SimgridFile(const std::filesystem::path& file, Clusters clusters = Clusters::by_simgrid);

  /// What SimGrid is to load: a copy in memory, without what SimGrid 3.32 cannot read. Of a cluster
  /// by_rule(), it has one host.
  std::filesystem::path path() const { return copy_.path(); }
  /// The platform, if it is a regular cluster that is not left to SimGrid.
  const std::optional<RegularCluster>& by_rule() const { return by_rule_; }
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
  /// "file:line" of the first <config>
  std::string place_of_settings() const;

 private:
  /// @pre document_ and what is read from it without checks
  std::string text_for_simgrid(Clusters clusters);
  void find_wifi_links();

  std::filesystem::path file_;
  PlatformDocument document_;
  std::vector<LinkProfile> profiles_;
  std::vector<SpeedProfile> speed_profiles_;
  std::map<std::string, WifiLink> wifi_links_;
  std::optional<RegularCluster> by_rule_;
  AskableRoutes askable_routes_;
  std::optional<int> nodes_;
  Rails rails_;
  std::optional<NodeList> listed_;
  MemoryFile copy_;
};

}  // namespace finegrain::platform

// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace finegrain::platform_make {

/// A port as iblinkinfo names it. Which parts there are depends on how it was called.
struct LinkEnd {
  std::string guid;         ///< "0000000000100001"; empty: not given
  std::string description;  ///< or empty
  int lid = 0;
  int port = 0;
};

/// A line of a port: "2  4[  ] ==( 4X  53.125 Gbps Active/  LinkUp)==>  18  1[  ] "node08 mlx5_0" ( )".
struct LinkLine {
  LinkEnd here;
  std::optional<LinkEnd> there;  ///< none: nothing answers at the other end
  int width = 0;                 ///< 0: the port is down
  std::string rate;              ///< a lane's: "HDR"
  std::string state;             ///< "Active/LinkUp", "Down/Polling"
  std::string could_be;          ///< "12X", "25.78125 Gbps"; empty: it runs as it can
  std::string where;

  bool is_active() const { return state.starts_with("Active/"); }
};

/// @throws InputError with `where`
LinkLine parse_link_line(std::string_view line, const std::string& where);

/// Whether the line is one of a port.
bool is_link_line(std::string_view line);

}  // namespace finegrain::platform_make

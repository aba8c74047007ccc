// SPDX-License-Identifier: MIT
#pragma once

#include <otf2/otf2.h>

#include <vector>

#include "traces/formats/otf2_trace.hpp"

/// The functions that the library of OTF2 calls with what it reads.
namespace finegrain::formats::otf2 {

/// Where the events of a location go.
struct Sink {
  std::vector<Otf2Event>* events;
  std::uint32_t thread;
};

void register_definitions(OTF2_Reader* archive, OTF2_GlobalDefReader* reader, Otf2Definitions& definitions);
/// @pre the sink lives until all events are read
void register_events(OTF2_Reader* archive, OTF2_EvtReader* reader, Sink& sink);

}  // namespace finegrain::formats::otf2

// SPDX-License-Identifier: MIT
#include "traces/formats/otf2_callbacks.hpp"

#include <algorithm>

namespace finegrain::formats::otf2 {
namespace {

Otf2Definitions& of(void* data) {
  return *static_cast<Otf2Definitions*>(data);
}

OTF2_CallbackCode string(void* data, OTF2_StringRef self, const char* text) {
  of(data).strings[self] = text;
  return OTF2_CALLBACK_SUCCESS;
}
OTF2_CallbackCode clock(void* data, std::uint64_t resolution, std::uint64_t offset, std::uint64_t /*length*/,
                        std::uint64_t /*date*/) {
  if (resolution > 0) of(data).ticks_per_s = resolution;
  of(data).start = offset;
  return OTF2_CALLBACK_SUCCESS;
}
OTF2_CallbackCode location(void* data, OTF2_LocationRef self, OTF2_StringRef /*name*/, OTF2_LocationType type,
                           std::uint64_t /*events*/, OTF2_LocationGroupRef group) {
  if (type == OTF2_LOCATION_TYPE_CPU_THREAD) of(data).process_of_location[self] = group;
  return OTF2_CALLBACK_SUCCESS;
}
OTF2_CallbackCode region(void* data, OTF2_RegionRef self, OTF2_StringRef name, OTF2_StringRef /*canonical*/,
                         OTF2_StringRef /*description*/, OTF2_RegionRole /*role*/, OTF2_Paradigm /*paradigm*/,
                         OTF2_RegionFlag /*flags*/, OTF2_StringRef /*file*/, std::uint32_t /*begin*/,
                         std::uint32_t /*end*/) {
  of(data).region_names[self] = name;
  return OTF2_CALLBACK_SUCCESS;
}
/// EZTrace gives the locations and the group of all ranks one number, and some definitions twice.
OTF2_CallbackCode group(void* data, OTF2_GroupRef self, OTF2_StringRef /*name*/, OTF2_GroupType type,
                        OTF2_Paradigm paradigm, OTF2_GroupFlag /*flags*/, std::uint32_t count,
                        const std::uint64_t* members) {
  if (paradigm != OTF2_PARADIGM_MPI) return OTF2_CALLBACK_SUCCESS;
  const std::vector<std::uint64_t> all(members, members + count);
  if (type == OTF2_GROUP_TYPE_COMM_LOCATIONS && of(data).locations_of_ranks.empty())
    of(data).locations_of_ranks = all;
  if (type == OTF2_GROUP_TYPE_COMM_GROUP) of(data).groups[self] = all;
  if (type == OTF2_GROUP_TYPE_COMM_SELF) of(data).groups_of_self[self] = true;
  return OTF2_CALLBACK_SUCCESS;
}
OTF2_CallbackCode communicator(void* data, OTF2_CommRef self, OTF2_StringRef /*name*/, OTF2_GroupRef group,
                               OTF2_CommRef parent, OTF2_CommFlag /*flags*/) {
  of(data).communicators.try_emplace(self,
                                     Otf2Definitions::Communicator{group, parent == OTF2_UNDEFINED_COMM});
  return OTF2_CALLBACK_SUCCESS;
}
OTF2_CallbackCode window(void* data, OTF2_RmaWinRef self, OTF2_StringRef /*name*/, OTF2_CommRef communicator,
                         OTF2_RmaWinFlag /*flags*/) {
  of(data).windows[self] = communicator;
  return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode add(void* data, std::uint64_t time, Otf2Event event) {
  const Sink& sink = *static_cast<Sink*>(data);
  event.time = time;
  event.thread = sink.thread;
  sink.events->push_back(event);
  return OTF2_CALLBACK_SUCCESS;
}
using Kind = Otf2Event::Kind;
using Location = OTF2_LocationRef;
using Time = OTF2_TimeStamp;
using Attributes = OTF2_AttributeList*;

template <Kind kind>
OTF2_CallbackCode of_region(Location /*location*/, Time time, std::uint64_t /*position*/, void* data,
                            Attributes /*attributes*/, OTF2_RegionRef region) {
  return add(data, time, {.kind = kind, .object = region});
}
template <Kind kind>
OTF2_CallbackCode message(Location /*location*/, Time time, std::uint64_t /*position*/, void* data,
                          Attributes /*attributes*/, std::uint32_t peer, OTF2_CommRef communicator,
                          std::uint32_t tag, std::uint64_t length) {
  return add(data, time, {.kind = kind, .object = communicator, .peer = peer, .tag = tag, .size = length});
}
template <Kind kind>
OTF2_CallbackCode message_of_request(Location /*location*/, Time time, std::uint64_t /*position*/, void* data,
                                     Attributes /*attributes*/, std::uint32_t peer, OTF2_CommRef communicator,
                                     std::uint32_t tag, std::uint64_t length, std::uint64_t request) {
  return add(
      data, time,
      {.kind = kind, .object = communicator, .peer = peer, .tag = tag, .size = length, .request = request});
}
template <Kind kind>
OTF2_CallbackCode of_request(Location /*location*/, Time time, std::uint64_t /*position*/, void* data,
                             Attributes /*attributes*/, std::uint64_t request) {
  return add(data, time, {.kind = kind, .request = request});
}
OTF2_CallbackCode collective(Location /*location*/, Time time, std::uint64_t /*position*/, void* data,
                             Attributes /*attributes*/, OTF2_CollectiveOp operation,
                             OTF2_CommRef communicator, std::uint32_t root, std::uint64_t sent,
                             std::uint64_t received) {
  return add(data, time,
             {.kind = Kind::collective,
              .object = communicator,
              .peer = root,
              .tag = operation,
              .size = sent,
              .received = received});
}
OTF2_CallbackCode collective_complete(Location /*location*/, Time time, std::uint64_t /*position*/,
                                      void* data, Attributes /*attributes*/, OTF2_CollectiveOp operation,
                                      OTF2_CommRef communicator, std::uint32_t root, std::uint64_t sent,
                                      std::uint64_t received, std::uint64_t request) {
  return add(data, time,
             {.kind = Kind::collective_complete,
              .object = communicator,
              .peer = root,
              .tag = operation,
              .size = sent,
              .received = received,
              .request = request});
}
template <Kind kind>
OTF2_CallbackCode one_sided(Location /*location*/, Time time, std::uint64_t /*position*/, void* data,
                            Attributes /*attributes*/, OTF2_RmaWinRef window, std::uint32_t remote,
                            std::uint64_t bytes, std::uint64_t matching) {
  return add(data, time,
             {.kind = kind, .object = window, .peer = remote, .size = bytes, .request = matching});
}
OTF2_CallbackCode atomic(Location /*location*/, Time time, std::uint64_t /*position*/, void* data,
                         Attributes /*attributes*/, OTF2_RmaWinRef window, std::uint32_t remote,
                         OTF2_RmaAtomicType type, std::uint64_t sent, std::uint64_t received,
                         std::uint64_t matching) {
  return add(data, time,
             {.kind = Kind::fetch,
              .object = window,
              .peer = remote,
              .tag = type,
              .size = std::max(sent, received),
              .received = received,
              .request = matching});
}
OTF2_CallbackCode one_sided_complete(Location /*location*/, Time time, std::uint64_t /*position*/, void* data,
                                     Attributes /*attributes*/, OTF2_RmaWinRef window,
                                     std::uint64_t matching) {
  return add(data, time, {.kind = Kind::one_sided_complete, .object = window, .request = matching});
}
OTF2_CallbackCode window_collective(Location /*location*/, Time time, std::uint64_t /*position*/, void* data,
                                    Attributes /*attributes*/, OTF2_CollectiveOp operation,
                                    OTF2_RmaSyncLevel /*level*/, OTF2_RmaWinRef window, std::uint32_t root,
                                    std::uint64_t /*sent*/, std::uint64_t /*received*/) {
  return add(data, time, {.kind = Kind::window_collective, .object = window, .peer = root, .tag = operation});
}
OTF2_CallbackCode acquire(Location /*location*/, Time time, std::uint64_t /*position*/, void* data,
                          Attributes /*attributes*/, OTF2_RmaWinRef window, std::uint32_t remote,
                          std::uint64_t /*lock*/, OTF2_LockType type) {
  return add(
      data, time,
      {.kind = Kind::lock, .object = window, .peer = remote, .tag = type == OTF2_LOCK_EXCLUSIVE ? 1U : 0U});
}
OTF2_CallbackCode release(Location /*location*/, Time time, std::uint64_t /*position*/, void* data,
                          Attributes /*attributes*/, OTF2_RmaWinRef window, std::uint32_t remote,
                          std::uint64_t /*lock*/) {
  return add(data, time, {.kind = Kind::unlock, .object = window, .peer = remote});
}

}  // namespace

void register_definitions(OTF2_Reader* archive, OTF2_GlobalDefReader* reader, Otf2Definitions& definitions) {
  OTF2_GlobalDefReaderCallbacks* const callbacks = OTF2_GlobalDefReaderCallbacks_New();
  OTF2_GlobalDefReaderCallbacks_SetStringCallback(callbacks, string);
  OTF2_GlobalDefReaderCallbacks_SetClockPropertiesCallback(callbacks, clock);
  OTF2_GlobalDefReaderCallbacks_SetLocationCallback(callbacks, location);
  OTF2_GlobalDefReaderCallbacks_SetRegionCallback(callbacks, region);
  OTF2_GlobalDefReaderCallbacks_SetGroupCallback(callbacks, group);
  OTF2_GlobalDefReaderCallbacks_SetCommCallback(callbacks, communicator);
  OTF2_GlobalDefReaderCallbacks_SetRmaWinCallback(callbacks, window);
  OTF2_Reader_RegisterGlobalDefCallbacks(archive, reader, callbacks, &definitions);
  OTF2_GlobalDefReaderCallbacks_Delete(callbacks);
}

void register_events(OTF2_Reader* archive, OTF2_EvtReader* reader, Sink& sink) {
  OTF2_EvtReaderCallbacks* const callbacks = OTF2_EvtReaderCallbacks_New();
  OTF2_EvtReaderCallbacks_SetEnterCallback(callbacks, of_region<Kind::enter>);
  OTF2_EvtReaderCallbacks_SetLeaveCallback(callbacks, of_region<Kind::leave>);
  OTF2_EvtReaderCallbacks_SetMpiSendCallback(callbacks, message<Kind::send>);
  OTF2_EvtReaderCallbacks_SetMpiRecvCallback(callbacks, message<Kind::receive>);
  OTF2_EvtReaderCallbacks_SetMpiIsendCallback(callbacks, message_of_request<Kind::isend>);
  OTF2_EvtReaderCallbacks_SetMpiIsendCompleteCallback(callbacks, of_request<Kind::isend_complete>);
  OTF2_EvtReaderCallbacks_SetMpiIrecvRequestCallback(callbacks, of_request<Kind::irecv_request>);
  OTF2_EvtReaderCallbacks_SetMpiIrecvCallback(callbacks, message_of_request<Kind::irecv>);
  OTF2_EvtReaderCallbacks_SetMpiRequestCancelledCallback(callbacks, of_request<Kind::cancelled>);
  OTF2_EvtReaderCallbacks_SetMpiCollectiveEndCallback(callbacks, collective);
  OTF2_EvtReaderCallbacks_SetNonBlockingCollectiveRequestCallback(callbacks,
                                                                  of_request<Kind::collective_request>);
  OTF2_EvtReaderCallbacks_SetNonBlockingCollectiveCompleteCallback(callbacks, collective_complete);
  OTF2_EvtReaderCallbacks_SetRmaPutCallback(callbacks, one_sided<Kind::put>);
  OTF2_EvtReaderCallbacks_SetRmaGetCallback(callbacks, one_sided<Kind::get>);
  OTF2_EvtReaderCallbacks_SetRmaAtomicCallback(callbacks, atomic);
  OTF2_EvtReaderCallbacks_SetRmaOpCompleteBlockingCallback(callbacks, one_sided_complete);
  OTF2_EvtReaderCallbacks_SetRmaOpCompleteNonBlockingCallback(callbacks, one_sided_complete);
  OTF2_EvtReaderCallbacks_SetRmaOpCompleteRemoteCallback(callbacks, nullptr);
  OTF2_EvtReaderCallbacks_SetRmaCollectiveEndCallback(callbacks, window_collective);
  OTF2_EvtReaderCallbacks_SetRmaAcquireLockCallback(callbacks, acquire);
  OTF2_EvtReaderCallbacks_SetRmaReleaseLockCallback(callbacks, release);
  OTF2_Reader_RegisterEvtCallbacks(archive, reader, callbacks, &sink);
  OTF2_EvtReaderCallbacks_Delete(callbacks);
}

}  // namespace finegrain::formats::otf2

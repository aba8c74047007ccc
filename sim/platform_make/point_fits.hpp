// SPDX-License-Identifier: MIT
#pragma once

#include "sim/platform_make/measured_points.hpp"
#include "sim/platform_make/number.hpp"

namespace finegrain::platform_make {

/// Numbers of the links between nodes that follow from what was measured, each with how:
/// - message_overhead, o: osu_bw sends w small messages and waits for a reply, which takes (w + 1) o + 2 L;
///   osu_latency's smallest message takes o + L. So o = (w t - 2 latency) / (w - 1), t being the time of one
///   message of osu_bw. Only if both were measured.
/// - link_latency: half (the two nodes are neighbours, with two links between them) of the smallest message's
///   latency, less message_overhead.
/// - link_bandwidth: the most that osu_bw reached, or else by how much longer a message took that is twice as
///   long, of the longest.
/// - eager_limit: the size after which latencies step up by more than the latency of a message. Only if there
///   is such a step: a longer message asks before it goes.
/// @param given  what the line gives; its message_overhead counts
/// @param typical_overhead  what counts where none is measured or given
/// @throws InputError if the latency is shorter than message_overhead
Numbers numbers_of_points(const MeasuredPoints& points, const Numbers& given, const Number& typical_overhead);

/// Adds latency_factors and bandwidth_factors, if the latencies lie on several lines (platform::fit_pieces)
/// rather than on one. They are relative to the other numbers, whatever these are from.
/// @param numbers  all that the platform file will have
void add_size_factors(const MeasuredPoints& points, Numbers& numbers);

}  // namespace finegrain::platform_make

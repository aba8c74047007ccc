// SPDX-License-Identifier: MIT
//
// A small subset of the UPC++ API over MPI-3 one-sided communication, for machines without UPC++
// (docs/pgas.md). A program that uses only what is here compiles unchanged with the real library.
#pragma once

// Programs rely on UPC++'s header to include these.
#include <algorithm>
#include <cassert>
#include <chrono>
#include <cmath>
#include <deque>
#include <list>
#include <set>
#include <sstream>
#include <string>
#include <unordered_set>
#include <vector>

#include <upcxx/allocation.hpp>
#include <upcxx/atomic_domain.hpp>
#include <upcxx/collectives.hpp>
#include <upcxx/completion.hpp>
#include <upcxx/dist_object.hpp>
#include <upcxx/future.hpp>
#include <upcxx/global_ptr.hpp>
#include <upcxx/promise.hpp>
#include <upcxx/rma.hpp>
#include <upcxx/runtime.hpp>
#include <upcxx/say.hpp>
#include <upcxx/team.hpp>

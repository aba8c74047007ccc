// SPDX-License-Identifier: MIT
//
// A small subset of the UPC++ API over MPI-3 one-sided communication, for machines without UPC++
// (docs/pgas.md). A program that uses only what is here compiles unchanged with the real library.
#pragma once

#include <upcxx/allocation.hpp>
#include <upcxx/atomic_domain.hpp>
#include <upcxx/collectives.hpp>
#include <upcxx/dist_object.hpp>
#include <upcxx/future.hpp>
#include <upcxx/global_ptr.hpp>
#include <upcxx/rma.hpp>
#include <upcxx/runtime.hpp>
#include <upcxx/team.hpp>

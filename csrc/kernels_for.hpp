// All kernels, compiled for the instruction set that the including file is compiled for.
#pragma once

#include "bounds_kernel.hpp"
#include "encoder_kernel.hpp"
#include "foldin_kernel.hpp"
#include "kernels.hpp"
#include "nearest_kernel.hpp"
#include "pricing_kernel.hpp"
#include "sampler_kernel.hpp"
#include "scan_kernel.hpp"
#include "simplex_lanes.hpp"

namespace hott {
namespace {

// `Lanes`: the 32-bit integers of a register.
template <int Lanes>
constexpr Kernels kernels_for(const char* name) {
    return {name,    lockstep::solve_group<Lanes>, best_rounded_arc, best_exact_arc, first_unclear_row,
            add_row, round_row,                    bounds_of_one,    bounds_in_tile, bounds_of_listed,
            add_excess, fold_in_steps,          sample_document,  dot_products};
}

}  // namespace
}  // namespace hott

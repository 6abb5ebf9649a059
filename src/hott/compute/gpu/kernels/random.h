// Random numbers, the same on CPU and GPU: SplitMix64 (Steele, Lea & Flood 2014).
//
// The n-th number of a seed is mixed(seed + n * golden_step), n = 1, 2, ...: any of them can be had without those before.
// Internal linkage throughout: see simd.hpp.
#pragma once

#include "functions.h"

namespace hott {
namespace {

constexpr u64 golden_step = 0x9e3779b97f4a7c15u;

HOTT_BOTH u64 mixed(u64 z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

// One of so many topics, all alike; and a number from 0 to 1.
HOTT_BOTH u32 any_of(u32 topics, u64 random) { return static_cast<u32>((random >> 32) * topics >> 32); }
HOTT_BOTH float uniform(u64 random) { return static_cast<float>(random >> 40) * 0x1p-24f; }

}  // namespace
}  // namespace hott

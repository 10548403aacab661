// What is fuzzed. Each target is a program of its own that defines this function, with libFuzzer's signature:
// it is handed arbitrary bytes and must come back, whatever they are. Only base::InputError may be thrown
// inside.
#pragma once

#include <cstddef>
#include <cstdint>

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer's name
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

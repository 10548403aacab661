// What a thread asks of the host: printf, memory of the heap, assertions, traps. `read` reads the thread's memory by generic
// address and throws if it cannot.
#pragma once

#include <string>

#include "core/memory/access_check.h"
#include "host/kernel_print.h"

namespace heddle::core {

/// Prints, and gives the thread the number of arguments.
void print(const AccessSite& site, WarpContext& warp, unsigned lane, const host::ReadBytes& read);
/// The heap's answer to malloc, for the thread.
void allocate(const AccessSite& site, WarpContext& warp, unsigned lane);
/// Throws base::KernelFault for an address that cannot be freed.
void free(const AccessSite& site, unsigned lane);
/// A line of what CUDA prints for a failed assertion.
[[nodiscard]] std::string assertion_text(const AccessSite& site, unsigned lane, const host::ReadBytes& read);
/// `texts`: of all the lanes that fail.
[[noreturn]] void fail_assertion(const AccessSite& site, const std::string& texts);
[[noreturn]] void trap(const AccessSite& site, unsigned lane);
/// Memory that a thread prints from is not there.
[[noreturn]] void fail_print(const AccessSite& site, unsigned lane, std::uint64_t address, const char* why);

}  // namespace heddle::core

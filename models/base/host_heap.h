// The heap of a program that simulates.
#pragma once

namespace heddle::base {

/// Gives the heap another 64 MiB of addresses, asks the host to back them with huge pages (2 MiB), and keeps
/// memory that was freed with the program. A GPU's registers, queues and tables are then there after a few
/// page faults instead of thousands, which on a virtual machine can take longer than a short launch; a GPU of
/// 80 cores fits. For programs to call first thing in main(); a library leaves its host's heap alone. Takes
/// at most a few huge pages more than are touched. Does nothing where the C library knows no such thing,
/// where addresses are limited (ulimit -v), or where there are not as many.
void use_huge_pages();

}  // namespace heddle::base

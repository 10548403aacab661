// The heap of a program that simulates.
#pragma once

namespace heddle::sim {

/// From now on the heap grows by steps of 256 MiB of addresses and asks the host for huge pages (2 MiB), and
/// memory that was freed stays with the program. A GPU's registers, queues and tables are then there after a
/// few page faults instead of thousands, which on a virtual machine can take longer than a short launch. For
/// programs to call first thing in main(); a library leaves its host's heap alone. Memory that is not touched
/// still takes none. Does nothing where the C library or the host knows no such thing.
void use_huge_pages();

}  // namespace heddle::sim

// System calls that fail on demand, and a clock that jumps. A program that links this has calls of
// its own in place of the C library's: they do what the kernel does until a test says otherwise.
#pragma once

#include "core/units.hpp"

#include <cstdint>

namespace retrystorm::faults {

// watch: epoll_ctl(ADD); thread: pthread_create.
enum class Call : std::size_t { accept, bind, connect, socket, watch, thread };

// Lets the next `times` calls fail with this errno.
void fail(Call call, int error, std::uint64_t times);
// Ends what is left of it; how many have failed.
std::uint64_t heal(Call call);
// Lets every call take so much longer.
void slow_down(Call call, Duration by);
// How often it has been called.
std::uint64_t calls(Call call);

// Moves the steady clock of the whole process, from here on.
void shift_clock(Duration by);

}  // namespace retrystorm::faults

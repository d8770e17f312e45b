#include "tests/faults/faults.hpp"

#include <array>
#include <atomic>
#include <cerrno>
#include <ctime>

#include <dlfcn.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/socket.h>

namespace retrystorm::faults {
namespace {

struct Fault {
  std::atomic<std::uint64_t> called{0};
  std::atomic<std::uint64_t> failed{0};
  std::atomic<std::int64_t> left{0};
  std::atomic<int> error{0};
  std::atomic<std::int64_t> slower_ns{0};
};

constinit std::array<Fault, 6> faults;
constinit std::atomic<std::int64_t> clock_shift{0};

Fault& of(Call call) {
  return faults[static_cast<std::size_t>(call)];
}

// Whether this call is to fail; then errno says why.
bool fails(Call call) {
  Fault& fault = of(call);
  ++fault.called;
  if (const std::int64_t ns = fault.slower_ns; ns > 0) {
    const timespec time{ns / 1'000'000'000, ns % 1'000'000'000};
    ::nanosleep(&time, nullptr);
  }
  if (fault.left.load() <= 0 || fault.left.fetch_sub(1) <= 0) return false;
  ++fault.failed;
  errno = fault.error;
  return true;
}

// The call that ours stands before: the C library's, or a sanitizer's.
template <typename F>
F* real_call(const char* name) {
  return reinterpret_cast<F*>(::dlsym(RTLD_NEXT, name));
}

}  // namespace

void fail(Call call, int error, std::uint64_t times) {
  of(call).error = error;
  of(call).failed = 0;
  of(call).left = static_cast<std::int64_t>(times);
}

std::uint64_t heal(Call call) {
  of(call).left = 0;
  return of(call).failed;
}

void slow_down(Call call, Duration by) {
  of(call).slower_ns = by.count();
}

std::uint64_t calls(Call call) {
  return of(call).called;
}

void shift_clock(Duration by) {
  clock_shift += by.count();
}

}  // namespace retrystorm::faults

using retrystorm::faults::Call;
using retrystorm::faults::fails;
using retrystorm::faults::real_call;

extern "C" {

int accept4(int listener, sockaddr* address, socklen_t* size, int flags) {
  static auto* const real = real_call<decltype(accept4)>("accept4");
  return fails(Call::accept) ? -1 : real(listener, address, size, flags);
}

int bind(int file, const sockaddr* address, socklen_t size) noexcept {
  static auto* const real = real_call<decltype(bind)>("bind");
  return fails(Call::bind) ? -1 : real(file, address, size);
}

int connect(int file, const sockaddr* address, socklen_t size) {
  static auto* const real = real_call<decltype(connect)>("connect");
  return fails(Call::connect) ? -1 : real(file, address, size);
}

int socket(int domain, int type, int protocol) noexcept {
  static auto* const real = real_call<decltype(socket)>("socket");
  return fails(Call::socket) ? -1 : real(domain, type, protocol);
}

int epoll_ctl(int epoll, int operation, int file, epoll_event* event) noexcept {
  static auto* const real = real_call<decltype(epoll_ctl)>("epoll_ctl");
  if (operation == EPOLL_CTL_ADD && fails(Call::watch)) return -1;
  return real(epoll, operation, file, event);
}

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*run)(void*),
                   void* with) noexcept {
  static auto* const real = real_call<decltype(pthread_create)>("pthread_create");
  return fails(Call::thread) ? errno : real(thread, attributes, run, with);
}

int clock_gettime(clockid_t clock, timespec* time) noexcept {
  static auto* const real = real_call<decltype(clock_gettime)>("clock_gettime");
  const int failed = real(clock, time);
  const std::int64_t shift = retrystorm::faults::clock_shift;
  if (failed != 0 || clock != CLOCK_MONOTONIC || shift == 0) return failed;
  const std::int64_t ns = time->tv_sec * 1'000'000'000 + time->tv_nsec + shift;
  *time = {ns / 1'000'000'000, ns % 1'000'000'000};
  return 0;
}

}  // extern "C"

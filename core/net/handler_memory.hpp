// Memory for the one handler of Asio's that is outstanding at a time, kept where it is waited from:
// to wait for a socket or a timer then takes no allocation, and cannot fail for want of memory.
// Must outlive the io_context, which may destroy the handler last.
#pragma once

#include <cstddef>
#include <new>

#include <boost/asio/bind_allocator.hpp>

namespace retrystorm {

class HandlerMemory {
 public:
  HandlerMemory() = default;
  HandlerMemory(const HandlerMemory&) = delete;
  HandlerMemory& operator=(const HandlerMemory&) = delete;

  // From the heap where there is another handler already, or one that is larger.
  void* allocate(std::size_t size) {
    if (used_ || size > sizeof bytes_) return ::operator new(size);
    used_ = true;
    return bytes_;
  }
  void deallocate(void* memory) {
    if (memory == bytes_) {
      used_ = false;
    } else {
      ::operator delete(memory);
    }
  }

 private:
  alignas(std::max_align_t) std::byte bytes_[496];
  bool used_ = false;
};

template <typename T>
class HandlerAllocator {
 public:
  using value_type = T;
  explicit HandlerAllocator(HandlerMemory& memory) : memory_(&memory) {}
  template <typename U>
  HandlerAllocator(const HandlerAllocator<U>& other) : memory_(other.memory_) {}

  T* allocate(std::size_t n) { return static_cast<T*>(memory_->allocate(n * sizeof(T))); }
  void deallocate(T* memory, std::size_t) { memory_->deallocate(memory); }
  bool operator==(const HandlerAllocator& other) const = default;

 private:
  template <typename>
  friend class HandlerAllocator;
  HandlerMemory* memory_;
};

// The handler, to be kept there.
template <typename Handler>
auto kept_in(HandlerMemory& memory, Handler handler) {
  return boost::asio::bind_allocator(HandlerAllocator<std::byte>(memory), std::move(handler));
}

}  // namespace retrystorm

// A closed loop: users who send, wait for what becomes of their request, think, and send again. So
// the load is what the service lets it be, and nobody offers more than so many requests at once.
#pragma once

#include "core/random.hpp"
#include "core/units.hpp"

#include <cstdint>
#include <vector>

namespace retrystorm {

class FieldList;
struct Scenario;

// The users of one generator thread, `first`, `first` + `step`, ... of all.
class UserLoop {
 public:
  UserLoop() = default;
  // User u begins at floor(u x think / users), without think time at 0. Requires: the scenario has
  // users.
  UserLoop(const Scenario& scenario, std::uint64_t first, std::uint64_t step);

  // When the next request is due, and whose it is: at one instant the user of the lowest number.
  // `never` while all wait, and when whoever thinks does so until the duration is over.
  Instant next() const { return next_; }
  std::uint32_t user() const { return user_; }

  // That user sends, and waits.
  void pop();
  // The user's request has ended: it thinks, and its next request is due when it has thought.
  void ended(std::uint32_t user, Instant now);

 private:
  struct Thinking {
    Instant until;
    std::uint32_t user;
    friend bool operator==(const Thinking&, const Thinking&) = default;
  };
  struct Later {
    bool operator()(const Thinking& a, const Thinking& b) const {
      return a.until != b.until ? a.until > b.until : a.user > b.user;
    }
  };
  Instant start_of(std::uint64_t user) const;
  void find_next();

  std::uint64_t users_ = 0, step_ = 1;
  std::uint64_t first_ = 0;
  std::uint64_t beginner_ = 0;  // the next of those who have not begun
  Duration think_{};
  Instant end_{};  // nobody sends from here on
  Instant next_ = never;
  std::uint32_t user_ = 0;
  std::vector<Thinking> thinking_;  // a heap, the next on top
  std::vector<Random> random_;      // one a user; none for a fixed think time
};

// The fields of this policy; `users` itself stands beside the rate that it replaces (arrivals.cpp).
void declare_users(FieldList& list);

}  // namespace retrystorm

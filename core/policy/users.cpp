#include "core/policy/users.hpp"

#include "core/field_list.hpp"
#include "core/field_tables.hpp"

#include <algorithm>

#include <boost/random/exponential_distribution.hpp>

namespace retrystorm {

UserLoop::UserLoop(const Scenario& s, std::uint64_t first, std::uint64_t step)
    : users_(static_cast<std::uint64_t>(s.client.users.value_or(0))),
      step_(step),
      first_(first),
      beginner_(first),
      think_(s.client.think),
      end_(instant_at(s.client.duration)) {
  if (s.client.think_shape == ThinkShape::exponential && think_ > Duration::zero()) {
    for (std::uint64_t user = first; user < users_; user += step) {
      random_.emplace_back(static_cast<std::uint64_t>(s.seed), Stream::think, user);
    }
  }
  find_next();
}

Instant UserLoop::start_of(std::uint64_t user) const {
  __extension__ using Wide = unsigned __int128;
  return instant_at(static_cast<std::int64_t>(static_cast<Wide>(user) *
                                              static_cast<std::uint64_t>(think_.count()) / users_));
}

void UserLoop::pop() {
  const Thinking popped{next_, user_};
  if (!thinking_.empty() && thinking_.front() == popped) {
    std::pop_heap(thinking_.begin(), thinking_.end(), Later());
    thinking_.pop_back();
  } else {
    beginner_ += step_;
  }
  find_next();
}

void UserLoop::ended(std::uint32_t user, Instant now) {
  Duration think = think_;
  if (!random_.empty()) {
    Random& random = random_[(user - first_) / step_];
    const double drawn = boost::random::exponential_distribution<double>()(random);
    think = Duration(static_cast<std::int64_t>(drawn * static_cast<double>(think_.count())));
  }
  if (now + think >= end_) return;  // this user has gone
  thinking_.push_back({now + think, user});
  std::push_heap(thinking_.begin(), thinking_.end(), Later());
  find_next();
}

void UserLoop::find_next() {
  next_ = never;
  if (!thinking_.empty()) {
    next_ = thinking_.front().until;
    user_ = thinking_.front().user;
  }
  if (beginner_ >= users_) return;
  const Thinking beginner{start_of(beginner_), static_cast<std::uint32_t>(beginner_)};
  if (beginner.until >= end_) return;
  if (next_ == never || Later()(Thinking{next_, user_}, beginner)) {
    next_ = beginner.until;
    user_ = beginner.user;
  }
}

void declare_users(FieldList& list) {
  using C = ClientSettings;
  using namespace std::chrono_literals;
  list.add(client_table,
           {{"think", Length<C>{&C::think, 0ms, 1h}, sampling_engines,
             "how long a user thinks before it asks again (closed loop)"},
            {"think_shape", OneOf<C, ThinkShape>{&C::think_shape, {"fixed", "exponential"}},
             sampling_engines, "how think times are distributed around it (closed loop)", true,
             [](const C& c) {
               return c.users && c.think > 0ms && c.think_shape == ThinkShape::exponential;
             }}});
}

}  // namespace retrystorm

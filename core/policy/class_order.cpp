#include "core/policy/class_order.hpp"

#include <algorithm>
#include <cmath>

namespace retrystorm {

ClassOrder::ClassOrder(const Scenario& s, Arrivals::Share share)
    : even_(s.client.arrivals == ArrivalProcess::even),
      step_(share.step),
      random_(static_cast<std::uint64_t>(s.seed), Stream::classes) {
  for (const ClientClass& c : s.classes) {
    shares_.push_back(std::max<std::int64_t>(1, std::llround(c.share * 1e9)));
    sum_ += shares_.back();
  }
  credits_.resize(shares_.size());
  for (std::uint64_t i = 0; i <= share.first; ++i) even_ ? deal() : draw();
}

void ClassOrder::pop() {
  for (std::uint64_t i = 0; i < step_; ++i) even_ ? deal() : draw();
}

void ClassOrder::deal() {
  if (shares_.empty()) return;
  for (std::size_t c = 0; c < shares_.size(); ++c) credits_[c] += shares_[c];
  const auto richest = std::max_element(credits_.begin(), credits_.end());
  *richest -= sum_;
  next_ = static_cast<std::uint8_t>(richest - credits_.begin());
}

void ClassOrder::draw() {
  if (shares_.empty()) return;
  double left = random_.uniform() * static_cast<double>(sum_);
  next_ = 0;
  while (next_ + 1U < shares_.size() && left >= static_cast<double>(shares_[next_])) {
    left -= static_cast<double>(shares_[next_++]);
  }
}

}  // namespace retrystorm

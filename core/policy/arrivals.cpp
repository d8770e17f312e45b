#include "core/policy/arrivals.hpp"

#include "core/field_list.hpp"
#include "core/field_tables.hpp"
#include "core/recording_source.hpp"
#include "core/recordings.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include <boost/random/exponential_distribution.hpp>

namespace retrystorm {

Arrivals::Kind Arrivals::kind_of(const ClientSettings& c) {
  const bool even = c.arrivals == ArrivalProcess::even;
  if (c.users) return Kind::users;
  if (c.recorded) return Kind::list;
  if (c.stages.empty()) return even ? Kind::even : Kind::poisson;
  return even ? Kind::staged_even : Kind::staged_poisson;
}

Arrivals::Arrivals(const Scenario& scenario) : Arrivals(scenario, Share{}) {}

Arrivals::Arrivals(const Scenario& s, Share share)
    : kind_(kind_of(s.client)),
      gap_first_(s.simulation.first_arrival == FirstArrival::gap),
      share_(share),
      rate_(s.client.rate),
      end_(instant_at(s.client.duration)),
      index_(share.first),
      random_(static_cast<std::uint64_t>(s.seed), Stream::arrivals) {
  if (rate_ == std::floor(rate_)) whole_rate_ = static_cast<std::uint64_t>(rate_);
  switch (kind_) {
    case Kind::even:
      set_next(even_instant(index_));
      break;
    case Kind::poisson:
      if (gap_first_) draw_gap();
      for (std::uint64_t i = 0; i < share_.first; ++i) draw_gap();
      set_next(instant_at(static_cast<std::int64_t>(poisson_now_)));
      break;
    case Kind::staged_even:
      staged_ = StagedArrivals(s.client.stages, share_.first, share_.step);
      next_ = staged_.next();
      break;
    case Kind::staged_poisson:
      staged_ = StagedArrivals(s.client.stages);
      for (std::uint64_t i = 0; i < share_.first; ++i) staged_.draw(random_);
      next_ = staged_.next();
      break;
    case Kind::users:
      users_ = UserLoop(s, share_.first, share_.step);
      next_ = users_.next();
      user_ = users_.user();
      break;
    case Kind::list:
      require_read(s);
      list_ = s.client.recorded.values;
      next_ = listed();
      break;
  }
}

Arrivals::Arrivals(std::vector<Instant> list)
    : kind_(Kind::list),
      random_(0),
      list_(std::make_shared<const RecordedInstants>(std::move(list))) {
  next_ = listed();
}

Instant Arrivals::listed() const {
  return index_ < list_->size() ? (*list_)[index_] : never;
}

Instant Arrivals::even_instant(std::uint64_t i) const {
  if (gap_first_) ++i;
  if (whole_rate_ != 0) {
    if (i < 18'000'000'000ULL) {
      return instant_at(static_cast<std::int64_t>(i * 1'000'000'000ULL / whole_rate_));
    }
    __extension__ using Wide = unsigned __int128;
    return instant_at(
        static_cast<std::int64_t>(static_cast<Wide>(i) * 1'000'000'000ULL / whole_rate_));
  }
  return instant_at(static_cast<std::int64_t>(
      std::floor(static_cast<long double>(i) * 1e9L / static_cast<long double>(rate_))));
}

void Arrivals::draw_gap() {
  poisson_now_ += boost::random::exponential_distribution<double>(rate_ * 1e-9)(random_);
}

void Arrivals::set_next(Instant candidate) {
  const bool within = gap_first_ ? candidate <= end_ : candidate < end_;
  next_ = within ? candidate : never;
}

void Arrivals::pop() {
  index_ += share_.step;
  switch (kind_) {
    case Kind::even:
      set_next(even_instant(index_));
      break;
    case Kind::poisson:
      for (std::uint64_t i = 0; i < share_.step; ++i) draw_gap();
      set_next(instant_at(static_cast<std::int64_t>(poisson_now_)));
      break;
    case Kind::list:
      next_ = listed();
      break;
    case Kind::users:
      users_.pop();
      next_ = users_.next();
      user_ = users_.user();
      break;
    case Kind::staged_even:
      staged_.pop();
      next_ = staged_.next();
      break;
    case Kind::staged_poisson:
      for (std::uint64_t i = 0; i < share_.step; ++i) staged_.draw(random_);
      next_ = staged_.next();
      break;
  }
}

void Arrivals::ended_in_loop(std::uint32_t user, Instant now) {
  users_.ended(user, now);
  next_ = users_.next();
  user_ = users_.user();
}

std::optional<std::uint64_t> Arrivals::remaining() const {
  if (next_ == never) return 0;
  if (kind_ == Kind::users) return std::nullopt;
  if (kind_ == Kind::list) return (list_->size() - index_ + share_.step - 1) / share_.step;
  if (kind_ == Kind::staged_even) return staged_.remaining();
  if (kind_ == Kind::staged_poisson) return remaining_drawn(staged_.area_left());
  if (kind_ == Kind::poisson) return remaining_drawn(rate_ * seconds(end_ - next_));
  // Even: the number of instants within the duration, found by halving.
  std::uint64_t low = 0;
  std::uint64_t high = 1;
  const auto within = [&](std::uint64_t k) {
    const Instant at = even_instant(index_ + k * share_.step);
    return gap_first_ ? at <= end_ : at < end_;
  };
  while (within(high)) high *= 2;
  while (high - low > 1) {
    const std::uint64_t middle = low + (high - low) / 2;
    (within(middle) ? low : high) = middle;
  }
  return low + 1;
}

std::optional<std::uint64_t> Arrivals::remaining_drawn(double expected) const {
  constexpr double most_drawn = 50'000'000;
  if (expected > most_drawn) return std::nullopt;
  Arrivals rest = *this;
  std::uint64_t count = 0;
  for (; rest.next_ != never; rest.pop()) ++count;
  return count;
}

bool replace_each_other(std::string_view path, std::string_view other) {
  constexpr std::pair<std::string_view, std::string_view> pairs[] = {
      {"client.stages", "client.rate"},         {"client.stages", "client.duration"},
      {"client.users", "client.rate"},          {"client.users", "client.stages"},
      {"client.recorded", "client.rate"},       {"client.recorded", "client.duration"},
      {"client.recorded", "client.stages"},     {"client.recorded", "client.users"},
      {"service.recorded_work", "service.work"}};
  return std::any_of(std::begin(pairs), std::end(pairs), [&](const auto& pair) {
    return pair == std::pair(path, other) || pair == std::pair(other, path);
  });
}

namespace {

constexpr std::size_t most_stages = 100;

// A member that takes the place of others when it is set.
Member<ClientSettings> replacing(Member<ClientSettings> member, void (*replace)(ClientSettings&)) {
  member.set = [set = member.set, replace](ClientSettings& c, const FieldValue& value) {
    std::string remedy = set(c, value);
    if (remedy.empty()) replace(c);
    return remedy;
  };
  return member;
}

// A duration is what stages and a recording come to.
void without_stages(ClientSettings& c) {
  c.stages.clear();
  c.recorded = {};
}

void at_one_rate(ClientSettings& c) {
  without_stages(c);
  c.users.reset();
}

// No users are no load of their own and replace nothing. Of users the rate means nothing.
void with_users(ClientSettings& c) {
  if (!c.users) return;
  without_stages(c);
  c.rate = ClientSettings{}.rate;
}

FieldValue stages_text(const ClientSettings& c) {
  std::vector<std::string> texts;
  for (const Stage& stage : c.stages) texts.push_back(text_of(stage));
  return texts;
}

std::string read_stages(ClientSettings& c, const FieldValue& value) {
  const auto* texts = std::get_if<std::vector<std::string>>(&value);
  if (!texts || texts->size() > most_stages) {
    return fmt::format("must be a list of at most {} stages such as \"200/s:5s\"", most_stages);
  }
  std::vector<Stage> stages(texts->size());
  for (std::size_t i = 0; i < stages.size(); ++i) {
    if (std::string remedy = read_stage(stages[i], (*texts)[i]); !remedy.empty()) return remedy;
    for (std::size_t j = 0; j < i; ++j) {
      if (!stages[i].name.empty() && stages[i].name == stages[j].name) {
        return fmt::format("must name no two stages '{}'", stages[i].name);
      }
    }
  }
  if (!stages.empty()) {
    const Duration length = length_of(stages);
    if (length > most_stage_length) return "must last 24h at most, all stages together";
    const double rate = mean_rate(stages);
    if (rate < 0.001) return "must offer at least 0.001 requests per second on average";
    c.rate = rate;
    c.duration = length;
    c.users.reset();
    c.recorded = {};
  }
  c.stages = std::move(stages);
  return {};
}

FieldValue recorded_text(const ClientSettings& c) {
  return c.recorded ? c.recorded.source : std::string("none");
}

// Their rate and duration are known when the file has been read (recordings.hpp).
std::string read_recorded(ClientSettings& c, const FieldValue& value) {
  const auto source = source_in(value);
  if (!source) return std::string(source_remedy);
  c.recorded = {*source, nullptr};
  if (!c.recorded) return {};
  c.stages.clear();
  c.users.reset();
  return {};
}

}  // namespace

void declare_arrivals(FieldList& list) {
  using C = ClientSettings;
  using namespace std::chrono_literals;
  list.add(
      client_table,
      {{"rate", replacing(Rate<C>{&C::rate, 0.001, 1e7}, at_one_rate), every_engine,
        "requests offered per second"},
       {"arrivals", OneOf<C, ArrivalProcess>{&C::arrivals, {"even", "poisson"}}, every_engine,
        "how requests are spaced", true,
        [](const C& c) { return c.arrivals == ArrivalProcess::poisson; }},
       {"duration", replacing(Length<C>{&C::duration, 1ms, 24h}, without_stages), every_engine,
        "how long requests are offered"},
       {"stages",
        Custom<C>{"texts",
                  "RATE:LENGTH or RATE..RATE:LENGTH, a NAME= before it if it shall have one",
                  stages_text, read_stages},
        sampling_engines, "rates and ramps one after the other, in place of rate and duration"},
       {"recorded", Custom<C>{"file", source_range, recorded_text, read_recorded}, sampling_engines,
        "recorded instants, one a line, in place of rate and duration"},
       {"users",
        replacing(WholeOr<C>{&C::users, "none", "requests come whatever becomes of those before", 1,
                             1'000'000},
                  with_users),
        sampling_engines,
        "a closed loop of so many who wait for their answer, in place of a rate"}});
}

}  // namespace retrystorm

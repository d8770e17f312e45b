// What each field and each policy says of itself, held against what the simulation does: the next
// knob is met here before anybody believes a word about it.
#include "core/fields.hpp"
#include "model/engines.hpp"
#include "model/honours.hpp"
#include "model/simulate/simulate.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <boost/json.hpp>
#include <gtest/gtest.h>

namespace retrystorm {
namespace {
using namespace std::chrono_literals;

// A storm in which every knob can show: overload, refusals, timeouts, retries after a delay.
Scenario storm() {
  Scenario s;
  s.service.workers = 4;
  s.service.queue = 40;
  s.client.rate = 300;
  s.client.duration = 2s;
  s.client.retries = 3;
  s.client.backoff = 20ms;
  return s;
}

// The same as that engine models it.
Scenario storm_for(Engine engine) {
  Scenario s = storm();
  if (engine == Engine::markov || engine == Engine::stationary) {
    s.client.arrivals = ArrivalProcess::poisson;
    s.service.work_shape = WorkShape::exponential;
  }
  return s;
}

// The values of a field that a user might give, as far as they fit it; none of a file, which would
// have to be there (simulate/recorded_test.cpp).
std::vector<FieldValue> values_of(const Field& field) {
  std::vector<FieldValue> values;
  if (field.type == "file") return values;
  for (const std::string& word : field.words) {
    values.emplace_back(word);
    values.emplace_back(std::vector<std::string>{word});
  }
  for (const std::int64_t n : {2, 7}) values.emplace_back(n);
  for (const double x : {0.5, 2.5}) values.emplace_back(x);
  for (const char* text : {"7ms", "500ms"}) values.emplace_back(std::string(text));
  values.emplace_back(std::vector<std::string>{"300/s:1s", "900/s:1s"});
  Scenario s = storm();
  std::erase_if(values, [&](const FieldValue& v) { return !field.set(s, v).empty(); });
  return values;
}

// Calls f(scenario, "field = value") for the storm with one field at one of its values; and once
// more with each alternative of a choice beside it, because a setting may matter only there.
template <typename F>
void for_each_variant(F&& f) {
  std::vector<std::pair<Scenario, std::string>> bases = {{storm(), ""}};
  for (const Field& choice : fields()) {
    if (choice.type != "choice") continue;
    for (const std::string& word : choice.words) {
      Scenario s = storm();
      choice.set(s, word);
      bases.emplace_back(s, choice.path() + " = " + word + ", ");
    }
  }
  for (const auto& [base, name] : bases) {
    for (const Field& field : fields()) {
      if (field.path() == "seed") continue;
      for (const FieldValue& value : values_of(field)) {
        Scenario s = base;
        field.set(s, value);
        try {
          validate(s, "variant");
        } catch (const std::exception&) {
          continue;
        }
        f(s, name + field.path() + " = " + to_text(value));
      }
    }
  }
}

TEST(Fields, ThatMakeARunRandomSaySo) {
  // Choices alone: what is drawn is chosen there.
  for (const Field& field : fields()) {
    if (field.type != "choice") continue;
    for (const std::string& word : field.words) {
      Scenario s = storm();
      field.set(s, word);
      const auto first = to_json(simulate(s));
      s.seed += 1;
      const bool random = to_json(simulate(s)) != first;
      EXPECT_EQ(is_random(s), random)
          << field.path() << " = " << word << ": its declaration says otherwise (draws)";
    }
  }
}

TEST(Fields, ThatMakeARunRandomAreRefusedByTheEngineThatDrawsNothing) {
  for_each_variant([](const Scenario& s, const std::string& variant) {
    if (!is_random(s)) return;
    EXPECT_FALSE(unmodelled(Engine::fluid, s).empty())
        << variant << ": fluid claims to be exact for it";
  });
}

TEST(Fields, ThatAnEngineDoesNotModelAreRefusedByItWheneverTheyMatter) {
  // Whatever changes the simulation's counts and not an analytic engine's view of the scenario must
  // be refused by it: modelled, or not answered.
  const auto counts = [](const Scenario& s) { return to_json(simulate(s)).at("counts"); };
  const auto usual = counts(storm());
  for (const Field& field : fields()) {
    for (const FieldValue& value : values_of(field)) {
      Scenario s = storm();
      field.set(s, value);
      try {
        validate(s, "variant");
      } catch (const std::exception&) {
        continue;
      }
      if (counts(s) == usual) continue;
      const bool modelled = (modelled_by(field, s) & engine_bit(Engine::fluid)) != 0;
      EXPECT_TRUE(modelled || !unmodelled(Engine::fluid, s).empty())
          << field.path() << " = " << to_text(value);
    }
  }
}

TEST(Fields, ThatAnEngineClaimsToModelChangeItsAnswerWhereTheyChangeTheRun) {
  for (const Predictor& p : predictors()) {
    if (p.engine == Engine::simulate) continue;
    const auto answer = [&](const Scenario& s) {
      const auto tally = to_json(predict(p.engine, s, {false, 1}));
      return boost::json::array{tally.at("counts"), tally.at("settled")};
    };
    // A delay that grows shows only where it is long against the run.
    for (const Duration backoff : {20ms, 300ms}) {
      Scenario own = storm_for(p.engine);
      own.client.backoff = backoff;
      for (const Field& field : fields()) {
        if (field.type != "choice") continue;
        for (const std::string& word : field.words) {
          Scenario s = own;
          field.set(s, word);
          if (!unmodelled(p.engine, s).empty()) continue;
          const Counts then = simulate(own).counts, now = simulate(s).counts;
          const double change = std::max({std::abs(*now.succeeded - *then.succeeded),
                                          std::abs(*now.rejected - *then.rejected),
                                          std::abs(*now.timed_out - *then.timed_out)});
          if (change < 0.05 * *then.attempts) continue;
          EXPECT_NE(answer(s), answer(own))
              << name(p.engine) << " claims to model " << field.path() << " = " << word
              << ", which it does not look at (engines)";
        }
      }
    }
  }
}

TEST(Approximations, AreTheAnswerForWhatIsSaidToBeTakenInstead) {
  for (const Predictor& p : predictors()) {
    // What this engine models; one field away from it, it answers as if nothing had been changed.
    const Scenario own = storm_for(p.engine);
    ASSERT_TRUE(unmodelled(p.engine, own).empty());
    const auto answer = [&](const Scenario& s) {
      const auto tally = to_json(predict(p.engine, s, {true, 1}));
      return boost::json::array{tally.at("counts"), tally.at("settled")};
    };
    const auto usual = answer(own);
    for (const Field& field : fields()) {
      for (const FieldValue& value : values_of(field)) {
        Scenario s = own;
        field.set(s, value);
        const auto left_out = unmodelled(p.engine, s);
        if (left_out.size() != 1 || left_out[0].field != field.path()) continue;
        if (left_out[0].instead.empty()) continue;  // refused whatever is asked for
        EXPECT_EQ(answer(s), usual) << name(p.engine) << ": " << field.path() << " = "
                                    << to_text(value) << ", instead " << left_out[0].instead;
      }
    }
  }
}

TEST(Disciplines, HaveAUsefulQueueExactlyIfNobodyAdmittedToItIsServedInVain) {
  const Field& field = *find_field("service.discipline");
  for (const std::string& word : field.words) {
    Scenario s;
    s.client.rate = 1200;
    s.client.duration = 3s;
    s.service.queue = *useful_queue(Scenario{});
    field.set(s, word);
    const Tally tally = simulate(s);
    EXPECT_EQ(useful_queue(s).has_value(), tally.counts.abandoned == 0)
        << word << ": " << *tally.counts.abandoned << " abandoned";
  }
}

}  // namespace
}  // namespace retrystorm

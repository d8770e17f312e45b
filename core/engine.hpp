// The engines that answer a scenario, and sets of them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace retrystorm {

enum class Engine : std::uint8_t { testbed, simulate, fluid, stationary, markov };
inline constexpr std::array<std::string_view, 5> engine_names = {"testbed", "simulate", "fluid",
                                                                 "stationary", "markov"};
constexpr std::string_view name(Engine engine) {
  return engine_names[static_cast<std::size_t>(engine)];
}

using EngineSet = std::uint32_t;
constexpr EngineSet engine_bit(Engine e) {
  return 1U << static_cast<unsigned>(e);
}
inline constexpr EngineSet every_engine = (1U << engine_names.size()) - 1;
// What follows single requests, live or simulated.
inline constexpr EngineSet sampling_engines =
    engine_bit(Engine::testbed) | engine_bit(Engine::simulate);

}  // namespace retrystorm

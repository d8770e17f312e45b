// Where the tables of a scenario stand: what the declarations of fields name them by.
#pragma once

#include "core/field.hpp"
#include "core/scenario.hpp"

namespace retrystorm {

inline constexpr FieldTable<Scenario> run_table{"", [](Scenario& s) -> Scenario& { return s; }};
inline constexpr FieldTable<ServiceSettings> service_table{
    "service", [](Scenario& s) -> ServiceSettings& { return s.service; }};
inline constexpr FieldTable<ClientSettings> client_table{
    "client", [](Scenario& s) -> ClientSettings& { return s.client; }};
inline constexpr FieldTable<NetworkSettings> network_table{
    "network", [](Scenario& s) -> NetworkSettings& { return s.network; }};
inline constexpr FieldTable<SimulationSettings> simulation_table{
    "simulation", [](Scenario& s) -> SimulationSettings& { return s.simulation; }};

}  // namespace retrystorm

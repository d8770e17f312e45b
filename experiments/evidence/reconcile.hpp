// What the two sides of a run say about each other, by kind and counted. The join stands in
// ledger_views.sql; here is what each kind means and which kinds need no explanation.
#pragma once

#include "experiments/evidence/import.hpp"

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace retrystorm {

struct ExchangeKind {
  std::string_view name;
  bool explained;  // a whole, undisturbed run may have it
  std::string_view meaning;
};

// Every kind of exchange, and the findings about records that are no exchange.
std::span<const ExchangeKind> exchange_kinds();

// The count of every kind; zeros written out.
using Reconciliation = std::map<std::string, std::uint64_t, std::less<>>;

// Reconciles one imported try.
Reconciliation reconcile(Database& database, const TryKey& key, const Imported& imported);

// The kinds that are not explained and not zero, each as a text for people.
std::vector<std::string> unexplained(const Reconciliation& reconciliation);

}  // namespace retrystorm

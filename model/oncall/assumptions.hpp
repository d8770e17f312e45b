// What the publication of the on-call model leaves open and how it is decided here, each marked
// (ours): the rules in this list, the numbers in the registry of constants.hpp. This is the one
// place; the program prints it and docs/oncall.md shows it.
#pragma once

#include <array>
#include <string>
#include <string_view>

namespace retrystorm::oncall {

struct Assumption {
  std::string_view about;
  std::string_view rule;
};

inline constexpr std::array assumptions = {
    Assumption{"minute",
               "Within a minute: boots, a rollback's switch and a rollout go on; then what the "
               "scenario brings; then the operator's moves in their order; then the autoscaler, by "
               "the utilization of the minute before; then traffic is drawn and everything is "
               "computed from it; at its end the cache has refilled."},
    Assumption{
        "minute",
        "The opening minute has the mean traffic of its clock time. It spends neither budget "
        "nor money."},
    Assumption{
        "traffic",
        "A minute's requests are not rounded. The daily swing and the surge are those of the "
        "minute's beginning."},
    Assumption{
        "traffic",
        "The surge is a trapezium: it begins at an instant equally likely between two times, "
        "rises in a straight line, holds for a least time and an exponential one, and falls "
        "in a straight line. Its peak is a least factor and a Poisson number of steps."},
    Assumption{
        "traffic",
        "What is shed is answered by the load balancer at once: it costs no worker, no query "
        "and no budget, and it is counted beside the errors. What is left has the same mix "
        "as before."},
    Assumption{"randomness",
               "Draws come in this order: the surge's beginning, steps and hold; then for each "
               "minute two normals, arrivals and noise, each from two uniforms by the cosine of "
               "Box-Muller's pair. Logarithms are taken of 1 - u."},
    Assumption{"randomness",
               "An operator's reactions come from the same generator half a period away (seed + "
               "2^31), so that operators of one seed see the same traffic and are equally quick."},
    Assumption{"service",
               "The bad build multiplies the application's work, heavy feature included, not the "
               "database's."},
    Assumption{"service",
               "The bad build's errors are added to the timeouts, together at most 100 %. Error "
               "rate and budget are shares of the admitted requests."},
    Assumption{"service",
               "The p99 is shown capped at the client's timeout; where the offered load reaches "
               "the workers it is the timeout."},
    Assumption{"service",
               "The published formulas meet badly at the limit: just below it nearly every client "
               "times out, just beyond it hardly any. They are kept as they are."},
    Assumption{"service", "The heavy feature is on or off for all traffic."},
    Assumption{"cache", "A new TTL holds at once, for what is cached as well."},
    Assumption{"cache",
               "The refill slows down in the proportion in which the database is asked for more "
               "than 98 % of its limit, the load at which a query reaches its longest time."},
    Assumption{"cache",
               "The warm-up job adds its share at the end of each of its minutes, whatever the "
               "database does. Pressed while it runs, the button does nothing."},
    Assumption{"database",
               "A database asked for more than its limit shows more than 100 % and carries nothing "
               "over into the next minute; nor does a saturated fleet spare it queries."},
    Assumption{"fleet",
               "Booting instances are billed, and count for the floor and the largest fleet."},
    Assumption{"fleet",
               "While a rollback prepares, the whole fleet is billed twice. The second fleet does "
               "not count for the largest fleet."},
    Assumption{
        "fleet",
        "A rollback always lands on the good build and ends a rollout. The bad build reaches "
        "the traffic in equal steps, one a minute."},
    Assumption{
        "fleet",
        "Target tracking has no dead band. A minute is quiet if a smaller fleet would do and "
        "nothing boots; any other minute, and a scale-in, start the count again."},
    Assumption{"fleet",
               "20 % of the fleet is rounded down: a fleet of four does not shrink by itself."},
    Assumption{"fleet",
               "With tracking off, a fleet above the floor cancels what boots first, then ends "
               "serving instances at once."},
    Assumption{"budget", "An overspent budget is shown below 0."},
    Assumption{"controls",
               "Ranges: floor 1 to the largest fleet, target 1 % to 100 %, TTL 1 s to 24 h, shed 0 "
               "to 1 of the low-priority traffic."},
    Assumption{"cold-cache",
               "The usual 85 % hits at noon are reached by a TTL of 90 s (84.9 %), not by another "
               "base rate; the scenario begins at 11:30."},
};

// The list for a reader: the rules, then the constants that are ours, with their values.
std::string assumptions_text();

}  // namespace retrystorm::oncall

#include "model/oncall/constants.hpp"

#include <array>

namespace retrystorm::oncall {
namespace {

using C = Constants;
constexpr double day = 24 * 60;        // minutes
constexpr double many = 1e9;           // a bound for rates and counts
constexpr double a_day = 24 * 3600.0;  // seconds

constexpr std::array table = {
    Constant{"traffic", "base", &C::base, Kind::number, 0, many, true,
             "requests/s that the daily swing goes around"},
    Constant{"traffic", "daily_swing", &C::daily_swing, Kind::number, 0, 1, true,
             "the peak, at 12:00, lies this share above the base"},
    Constant{"traffic", "noise", &C::noise, Kind::number, 0, 1, true,
             "standard deviation of a minute's traffic, beside the arrivals' own"},
    Constant{"traffic", "low_priority", &C::low_priority, Kind::number, 0, 1, true,
             "share of the traffic that may be shed"},

    Constant{"service", "workers_per_instance", &C::workers_per_instance, Kind::whole, 1, 1000,
             true, "requests an instance works on at once"},
    Constant{"service", "app_time", &C::app_time, Kind::duration, 1e-6, 60, true,
             "work of a request, the database's part not counted"},
    Constant{"service", "heavy_app_time", &C::heavy_app_time, Kind::duration, 0, 60, true,
             "added to it by the heavy feature (recommendations)"},
    Constant{"service", "timeout", &C::timeout, Kind::duration, 0.001, 3600, true,
             "a client that waits longer has left"},
    Constant{"service", "bad_errors", &C::bad_errors, Kind::number, 0, 1, true,
             "share of errors that a bad build adds"},
    Constant{"service", "bad_cpu", &C::bad_cpu, Kind::number, 1, 100, true,
             "a bad build multiplies the work of the application by this"},

    Constant{"cache", "hot_objects", &C::hot_objects, Kind::number, 1, many, true,
             "objects, asked for equally often"},
    Constant{"cache", "refill_time", &C::refill_time, Kind::duration, 1, a_day, true,
             "time constant of a cold cache; longer while the database is saturated"},
    Constant{"cache", "warm_up_share", &C::warm_up_share, Kind::number, 0, 1, true,
             "share of the cache that the warm-up job adds in a minute"},
    Constant{"cache", "warm_up_time", &C::warm_up_time, Kind::minutes, 60, a_day, true,
             "how long the warm-up job runs"},
    Constant{"cache", "warm_up_queries", &C::warm_up_queries, Kind::number, 0, many, true,
             "queries/s that it adds meanwhile"},

    Constant{"database", "queries", &C::queries, Kind::number, 0, 1000, true,
             "per request that misses the cache"},
    Constant{"database", "heavy_queries", &C::heavy_queries, Kind::number, 0, 1000, true,
             "added to them by the heavy feature"},
    Constant{"database", "database_limit", &C::database_limit, Kind::number, 1, many, true,
             "queries/s it can answer"},
    Constant{"database", "query_time", &C::query_time, Kind::duration, 1e-6, 60, true,
             "of an idle database"},
    Constant{"database", "query_time_limit", &C::query_time_limit, Kind::duration, 1e-6, 3600, true,
             "a query never takes longer"},

    Constant{"fleet", "instance_cost", &C::instance_cost, Kind::number, 0, many, true,
             "$ per instance and hour"},
    Constant{"fleet", "max_instances", &C::max_instances, Kind::whole, 1, 1000, true,
             "serving and booting"},
    Constant{"fleet", "boot_time", &C::boot_time, Kind::minutes, 0, a_day, false,
             "of an instance, on a day on which boots are not slow"},
    Constant{"fleet", "rollback_time", &C::rollback_time, Kind::minutes, 60, a_day, true,
             "a rollback prepares its new fleet for this long, billed twice"},
    Constant{"fleet", "scale_in_share", &C::scale_in_share, Kind::number, 0, 1, true,
             "at most this share of the fleet goes at once"},
    Constant{"fleet", "quiet_time", &C::quiet_time, Kind::minutes, 60, a_day, true,
             "of minutes that a smaller fleet would do for, before it shrinks"},

    Constant{"target", "slo", &C::slo, Kind::number, 0, 0.999999, true,
             "share of requests that must succeed; the budget is the rest"},
    Constant{"target", "month", &C::month, Kind::minutes, 60, 366 * a_day, true,
             "what the budget is for: 43,200 minutes"},
    Constant{"target", "alert_burn", &C::alert_burn, Kind::number, 0, many, false,
             "the alert fires at this burn over 1 h: 2 % of the month's budget in an hour"},

    Constant{"opening", "opening_clock", &C::opening_clock, Kind::clock, 0, day, true,
             "when the morning begins"},
    Constant{"opening", "closing_clock", &C::closing_clock, Kind::clock, 0, day, false,
             "when it ends, unless --until says otherwise"},
    Constant{"opening", "instances", &C::instances, Kind::whole, 1, 1000, true,
             "serving at the opening"},
    Constant{"opening", "floor", &C::floor, Kind::whole, 1, 1000, false,
             "the fleet floor until somebody moves it"},
    Constant{"opening", "target_utilization", &C::target_utilization, Kind::number, 0.01, 1, false,
             "target tracking, on at the opening, aims at this"},
    Constant{"opening", "ttl", &C::ttl, Kind::duration, 1, a_day, true,
             "of a cached answer, until somebody changes it"},
    Constant{"opening", "budget_left", &C::budget_left, Kind::number, 0, 1, false,
             "share of the month's budget"},

    Constant{"operators", "reaction_time", &C::reaction_time, Kind::duration, 0, a_day, false,
             "mean, exponentially distributed: from the first sign of trouble to the first move"},

    Constant{"bad-deploy", "bad_deploy_clock", &C::bad_deploy_clock, Kind::clock, 0, day, true,
             "when the bad build goes out"},
    Constant{"bad-deploy", "bad_deploy_budget_left", &C::bad_deploy_budget_left, Kind::number, 0, 1,
             true, "share of the month's budget that is left that morning"},
    Constant{"bad-deploy", "rollout_time", &C::rollout_time, Kind::minutes, 60, a_day, false,
             "until all traffic is on the new build"},

    Constant{"surge", "surge_boot_time", &C::surge_boot_time, Kind::minutes, 0, a_day, true,
             "of an instance, that day"},
    Constant{"surge", "surge_earliest", &C::surge_earliest, Kind::clock, 0, day, false,
             "the surge begins no earlier"},
    Constant{"surge", "surge_latest", &C::surge_latest, Kind::clock, 0, day, false,
             "and no later, every instant between them equally likely"},
    Constant{"surge", "surge_least", &C::surge_least, Kind::number, 1, 100, false,
             "its peak multiplies the traffic by at least this"},
    Constant{"surge", "surge_step", &C::surge_step, Kind::number, 0, 100, false,
             "height of a step of the peak; their number is Poisson"},
    Constant{"surge", "surge_mean_steps", &C::surge_mean_steps, Kind::number, 0, 30, false,
             "mean number of steps"},
    Constant{"surge", "surge_rise_time", &C::surge_rise_time, Kind::minutes, 60, a_day, false,
             "from nothing to the peak, in a straight line"},
    Constant{"surge", "surge_least_hold", &C::surge_least_hold, Kind::minutes, 0, a_day, false,
             "the peak lasts at least this long"},
    Constant{"surge", "surge_mean_hold", &C::surge_mean_hold, Kind::duration, 0, a_day, false,
             "mean of the exponential time that it lasts longer"},
    Constant{"surge", "surge_fall_time", &C::surge_fall_time, Kind::minutes, 60, a_day, false,
             "from the peak to nothing, in a straight line"},

    Constant{"cold-cache", "cold_cache_opening_clock", &C::cold_cache_opening_clock, Kind::clock, 0,
             day, false, "when this scenario begins"},
    Constant{"cold-cache", "cold_cache_clock", &C::cold_cache_clock, Kind::clock, 0, day, true,
             "when the script empties the cache: the noon peak"},
    Constant{"cold-cache", "cold_cache_closing_clock", &C::cold_cache_closing_clock, Kind::clock, 0,
             day, false, "when this scenario ends, unless --until says otherwise"},
    Constant{"cold-cache", "cold_cache_ttl", &C::cold_cache_ttl, Kind::duration, 1, a_day, false,
             "gives the usual 85 % hits at noon that the publication states; 60 s gives 78.9 %"},
};

}  // namespace

std::span<const Constant> constants() {
  return table;
}

}  // namespace retrystorm::oncall

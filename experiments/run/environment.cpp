#include "experiments/run/environment.hpp"

#include "core/version.hpp"

#include <fstream>
#include <sstream>
#include <vector>

#include <boost/json.hpp>
#include <sched.h>
#include <sys/utsname.h>
#include <unistd.h>

namespace retrystorm {
namespace {

std::string first_line(const char* path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

std::string processor() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("model name")) {
      const auto colon = line.find(": ");
      return colon == line.npos ? std::string() : line.substr(colon + 2);
    }
  }
  return {};
}

// /proc/net/netstat and /proc/net/snmp: pairs of lines, names and then values, under one prefix.
void read_pairs(const char* path, const std::map<std::string, std::string>& wanted,
                MachineCounters& into) {
  std::ifstream file(path);
  for (std::string names, values; std::getline(file, names) && std::getline(file, values);) {
    std::istringstream name_words(names);
    std::istringstream value_words(values);
    std::string group;
    std::string same;
    name_words >> group;
    value_words >> same;
    std::string name;
    std::string value;
    while (name_words >> name && value_words >> value) {
      const auto found = wanted.find(group + name);
      if (found != wanted.end()) into[found->second] = std::stoull(value);
    }
  }
}

}  // namespace

boost::json::object describe_machine() {
  boost::json::object machine;
  utsname names{};
  if (::uname(&names) == 0) {
    machine["kernel"] = std::string(names.sysname) + " " + names.release;
    machine["architecture"] = names.machine;
  }
  if (const std::string model = processor(); !model.empty()) machine["processor"] = model;
  machine["cores"] = ::sysconf(_SC_NPROCESSORS_ONLN);
  cpu_set_t cores;
  if (::sched_getaffinity(0, sizeof cores, &cores) == 0) {
    boost::json::array list;
    for (int core = 0; core < CPU_SETSIZE; ++core) {
      if (CPU_ISSET(core, &cores)) list.emplace_back(core);
    }
    machine["affinity"] = std::move(list);
  }
  machine["retrystorm"] = version();
  machine["compiler"] = "g++ " __VERSION__;
  machine["clock"] = "CLOCK_MONOTONIC";
  machine["clock_source"] =
      first_line("/sys/devices/system/clocksource/clocksource0/current_clocksource");
  machine["load_average"] = first_line("/proc/loadavg");
  machine["port_range"] = first_line("/proc/sys/net/ipv4/ip_local_port_range");
  machine["time_wait_reuse"] = first_line("/proc/sys/net/ipv4/tcp_tw_reuse");
  return machine;
}

MachineCounters read_machine_counters() {
  MachineCounters counters;
  read_pairs("/proc/net/netstat",
             {{"TcpExt:ListenOverflows", "listen_overflows"},
              {"TcpExt:ListenDrops", "listen_drops"},
              {"TcpExt:TCPBacklogDrop", "backlog_drops"},
              {"TcpExt:TCPAbortOnMemory", "aborts_on_memory"}},
             counters);
  read_pairs("/proc/net/snmp", {{"Tcp:RetransSegs", "retransmitted_segments"}}, counters);
  std::istringstream cpu(first_line("/proc/stat"));
  std::string word;
  std::vector<std::uint64_t> ticks;
  cpu >> word;
  for (std::uint64_t t = 0; cpu >> t;) ticks.push_back(t);
  if (ticks.size() > 7) counters["steal_ticks"] = ticks[7];
  return counters;
}

boost::json::object growth(const MachineCounters& before, const MachineCounters& after) {
  boost::json::object grown;
  for (const auto& [name, value] : after) {
    const auto earlier = before.find(name);
    if (earlier != before.end()) grown[name] = value - earlier->second;
  }
  return grown;
}

}  // namespace retrystorm

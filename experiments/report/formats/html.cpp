#include "experiments/report/formats/html.hpp"

#include "core/version.hpp"
#include "experiments/report/formats/html_answer.hpp"
#include "experiments/report/formats/html_files.hpp"
#include "experiments/report/formats/html_text.hpp"
#include "experiments/report/rerun.hpp"
#include "experiments/report/words/arms.hpp"
#include "experiments/report/words/phrases.hpp"
#include "experiments/report/words/words.hpp"

#include <algorithm>
#include <array>

#include <boost/json/serialize.hpp>
#include <fmt/format.h>

namespace retrystorm {
namespace {

constexpr std::array goodput_figures = {
    column("whole.seconds", "whole run s"),
    column("whole.offered_per_s"),
    column("whole.throughput_per_s"),
    column("whole.goodput_per_s"),
    column("settled.offered_per_s", "settled: offered /s"),
    column("settled.throughput_per_s"),
    column("settled.goodput_per_s"),
};
constexpr std::array endings_figures = {
    column("counts.attempts"), column("counts.succeeded"),           column("counts.timed_out"),
    column("counts.rejected"), column("counts.failed_status"),       column("counts.connect_error"),
    column("counts.io_error"), column("counts.unfinished.attempts"),
};
constexpr std::array work_figures = {
    column("counts.arrived"),        column("counts.refused"),
    column("counts.completed"),      column("counts.taken"),
    column("counts.abandoned"),      column("counts.undelivered"),
    column("whole.abandoned_share"), column("settled.abandoned_share", "settled"),
};
constexpr std::array amplification_figures = {
    column("counts.offered"),
    column("counts.attempts"),
    column("whole.amplification"),
    column("settled.amplification", "settled"),
};
constexpr std::array latency_figures = {
    column("latency_ms.request.p50", "successes: p50 ms"),
    column("latency_ms.request.p90"),
    column("latency_ms.request.p99"),
    column("latency_ms.request.p999"),
    column("latency_ms.request.max"),
    column("latency_ms.all.p50", "all outcomes: p50 ms"),
    column("latency_ms.all.p90"),
    column("latency_ms.all.p99"),
    column("latency_ms.all.max"),
};
constexpr std::array cliff_figures = {
    column("whole.offered_per_s"),
    column("whole.goodput_per_s", "goodput /s, whole run"),
    column("settled.goodput_per_s", "goodput /s, settled"),
};

std::string arms_table(const Report& report, std::span<const Figure> figures,
                       std::string_view caption) {
  return html_table(figures_table(report, figures), caption);
}

std::string story(const Words& words) {
  std::string html;
  for (const Paragraph& p : words.paragraphs) {
    html += fmt::format("<div><dt>{}</dt><dd>{}</dd></div>\n", html_escaped(p.question),
                        html_with_terms(p.text));
  }
  return html;
}

// What must not be overlooked: a partial run, arms without trust, with all their reasons.
std::string notices(const Report& report) {
  std::string list;
  std::size_t untrusted = 0;
  for (const ArmReport& arm : report.arms) {
    if (arm.trusted) continue;
    ++untrusted;
    list += fmt::format("<li><strong>{}</strong> ({}):", html_escaped(arm.name),
                        html_escaped(arm.status == "done" ? "untrusted" : arm.status));
    for (const std::string& reason : arm.reasons) list += "<br>" + html_escaped(reason);
    list += "</li>\n";
  }
  if (untrusted == 0 && !report.partial) return {};
  std::string html = "<div class=\"reasons\">";
  if (report.partial) html += "<p>Not every arm was measured to its end.</p>";
  if (untrusted > 0) {
    html += fmt::format(
        "<details{}><summary>{} of {} arms not trusted, and why</summary><ul>\n{}"
        "</ul></details>",
        untrusted <= 3 ? " open" : "", untrusted, report.arms.size(), list);
  }
  return html + "</div>\n";
}

// The figures to remember, of the arm that the words tell of.
std::string headline_figures(const Report& report) {
  const ArmReport* arm = subject_of(report);
  if (!arm && !report.arms.empty() && report.arms.front().measured) arm = &report.arms.front();
  if (!arm) return {};
  const bool settled = &telling(*arm->measured) == &arm->measured->settled;
  const std::string window = settled ? "settled" : "whole";
  const std::string path =
      fmt::format("arms.{}.measured.", static_cast<std::size_t>(arm - report.arms.data()));
  const auto item = [&](std::string_view name, std::string_view label, std::string_view cls) {
    const TallyFigure& figure = figure_of(fmt::format("{}.{}", window, name));
    const Count value = figure.in(*arm->measured);
    const std::string where =
        value ? html_data(fmt::format("{}{}", path, figure.path()), *value) : "";
    return fmt::format(
        "<li class=\"{}\"><b{}>{}{}</b> {}</li>\n", cls, where,
        html_escaped(figure.kind == FigureKind::share ? share_words(value.value_or(0))
                                                      : figure_text(figure.kind, value)),
        figure.kind == FigureKind::rate ? "/s" : "", label);
  };
  return fmt::format(
      "<ul class=\"headline-figures\" aria-label=\"{0}\">\n{1}{2}{3}{4}</ul>\n"
      "<p class=\"note\">{0}, {5}.</p>\n",
      html_escaped(arm->name), item("offered_per_s", "offered", "c-ink"),
      item("throughput_per_s", "completed by the service", "c-service"),
      item("goodput_per_s", "answered in time", "c-measured"),
      item("abandoned_share", "of the completions for nobody", "c-waste"),
      settled ? "settled part of the run" : "whole run");
}

// Predictions that were not made, and why: the measurement stands without them.
std::string not_predicted_html(const Report& report) {
  std::string list;
  for (const ArmReport& arm : report.arms) {
    for (const std::string& none : not_predicted_words(arm)) {
      list += fmt::format("<li>{}: {}</li>\n", html_escaped(arm.name), html_escaped(none));
    }
  }
  return list.empty() ? list : "<ul class=\"note\">" + list + "</ul>\n";
}

std::string figures_note(const Report& report) {
  std::string note =
      "Each arm with what was published of it, predicted and measured, where there is such a "
      "thing. "
      "Counts are of the whole run.";
  for (const ArmReport& arm : report.arms) {
    if (!arm.published) continue;
    note += fmt::format(" Published: {}; its rates are {}.", arm.published->source,
                        arm.published->rates);
    for (const std::string& n : arm.published->notes) note += " " + n;
    break;
  }
  if (!has_predictions(report)) note += " Nothing was predicted in this run.";
  return html_with_terms(note);
}

std::string cliff_section(const Report& report) {
  return "<section id=\"cliff\">\n<h2>The cliff: goodput against load</h2>\n"
         "<p class=\"note\">Where the measured points leave the grey line, load beyond the limit "
         "begins to cost goodput. Bars: the range over trusted repeats, where there are any.</p>\n"
         "<ul class=\"key\"><li><i class=\"spot full c-measured\"></i>measured</li>"
         "<li><i class=\"spot c-measured\"></i>measured, untrusted</li>"
         "<li class=\"if-predicted\"><i class=\"dash c-predicted\"></i>predicted, nominal</li>"
         "<li><i class=\"spot square c-service\"></i>published</li>"
         "<li><i class=\"thin c-refused\"></i>the best possible</li></ul>\n"
         "<div class=\"picture\" data-figure=\"cliff\" data-title=\"goodput against load\"></div>\n"
         "<details><summary>The numbers</summary>" +
         arms_table(report, cliff_figures, "Goodput against load") + "</details>\n</section>\n";
}

std::string error_section(const Report& report) {
  const Table table = error_table(report);
  if (table.rows.empty()) return {};
  return "<section id=\"errors\" class=\"long\">\n<h2>How far the predictions are off</h2>\n"
         "<p class=\"note\">" +
         html_with_terms(
             "Predicted minus measured, as a share of all attempts of the arm: 40 successes are "
             "0.15 % of the attempts of a storm and 17 % of its 240 successes, so the table has "
             "both. The replay leaves only the structural error.") +
         "</p>\n<ul class=\"key\"><li><i class=\"spot c-predicted\"></i>nominal</li>"
         "<li><i class=\"spot full c-predicted\"></i>calibrated</li>"
         "<li><i class=\"spot diamond c-ink\"></i>replay</li></ul>\n"
         "<div class=\"picture\" data-figure=\"errors\" data-title=\"prediction errors\"></div>\n"
         "<details><summary>The numbers</summary>" +
         html_table(table, "Prediction error of each count") +
         "</details>\n<details><summary>Every engine's prediction</summary>" +
         html_table(engines_table(report), "Every engine's prediction") +
         "</details>\n</section>\n";
}

std::string advice_section(const Words& words) {
  if (!words.advice) return {};
  return "<section id=\"knobs\">\n<h2>What each single change would buy</h2>\n<p class=\"note\">" +
         html_with_terms(fmt::format("By the simulation, for “{}” with one field changed and all "
                                     "else as it is. What is set "
                                     "bold helps.",
                                     words.advised_arm)) +
         "</p>\n" + html_table(advice_table(*words.advice), "What each single change would buy") +
         "</section>\n";
}

std::string glossary_html() {
  std::string html;
  for (const Term& term : glossary()) {
    html += fmt::format("<dt id=\"term-{}\">{}</dt><dd>{}</dd>\n", term.id, html_escaped(term.word),
                        html_escaped(term.meaning));
  }
  return html;
}

// What the processes had to say of the measured tries; it costs no trust.
std::string warnings_html(const Report& report) {
  std::string list;
  for (const ArmReport& arm : report.arms) {
    const Try* measured = measured_try(arm);
    for (const std::string& warning : measured ? measured->warnings : std::vector<std::string>{}) {
      list += fmt::format("<li>{}: {}</li>\n", html_escaped(arm.name), html_escaped(warning));
    }
  }
  return list.empty() ? list
                      : "<p class=\"note\">Warnings:</p><ul class=\"note\">" + list + "</ul>\n";
}

std::string reconciliation_html(const Report& report) {
  const Table table = reconciliation_table(report);
  if (table.rows.empty()) return {};
  return "<p class=\"note\">" +
         html_with_terms(
             "Every attempt in the client's ledger against every arrival in the "
             "service's, joined by id. Each exchange is of exactly one kind.") +
         "</p>\n" + html_table(table, "How the two ledgers agree") + "<p class=\"note\">" +
         html_escaped(third_witness(report)) + "</p>\n" + warnings_html(report);
}

// The stages and classes of clients that some arm has.
std::string parts_html(const Report& report) {
  std::string html;
  const auto add = [&](const Table& table, std::string_view heading, std::string_view caption) {
    if (table.rows.empty()) return;
    html += fmt::format("<h3>{}</h3>\n{}\n", heading, html_table(table, caption));
  };
  add(stages_table(report), "Stage by stage", "Each stage of the offered load");
  add(classes_table(report), "Each class of clients", "The classes of clients");
  return html;
}

}  // namespace

std::string report_html(const Report& report, const Pictures& pictures,
                        std::string_view directory) {
  const Words words = words_of(report);
  const bool trusted = trust_label(report) == "trusted";
  const bool any_series = std::any_of(pictures.measured.begin(), pictures.measured.end(),
                                      [](const auto& series) { return series.has_value(); });
  const bool cliff = !pictures.cliffs.empty();
  HtmlSlots slots;
  slots["title"] = html_escaped(report.experiment + " - retrystorm report");
  slots["uplot_css"] = html_files::uplot_css;
  slots["uplot_js"] = html_files::uplot_js;
  slots["css"] = html_files::report_css;
  slots["scripts"] = std::string(html_files::charts_js) + std::string(html_files::figures_js) +
                     std::string(html_files::scatter_js) + std::string(html_files::page_js);
  slots["body_class"] = has_predictions(report) ? "has-predictions" : "";
  slots["name"] = html_escaped(report.experiment);
  slots["verdict"] = html_escaped(trust_label(report));
  slots["verdict_class"] = trusted ? "good" : "bad";
  slots["headline"] = html_escaped(words.headline);
  slots["question"] = html_escaped(report.question);
  slots["answer"] = answer_html(report, pictures, words);
  slots["story"] = story(words);
  slots["headline_figures"] = headline_figures(report);
  slots["notices"] = notices(report);
  slots["figures_note"] = figures_note(report);
  slots["overview_table"] = html_table(overview_table(report), "Published, predicted, measured") +
                            not_predicted_html(report);
  slots["parts"] = parts_html(report);
  slots["no_series"] =
      any_series ? "" : "The ledger of this run is not at hand, so nothing is drawn over time. ";
  slots["goodput_table"] = arms_table(report, goodput_figures, "Goodput and throughput");
  slots["queue_table"] = html_table(queue_table(report), "The queue against the useful queue");
  slots["endings_table"] = arms_table(report, endings_figures, "Where each attempt ended");
  slots["work_table"] = arms_table(report, work_figures, "What became of arrivals");
  slots["amplification_table"] = arms_table(report, amplification_figures, "Amplification");
  slots["latency_table"] = arms_table(report, latency_figures, "Latency in milliseconds");
  slots["nav_cliff"] = cliff ? "<li><a href=\"#cliff\">The cliff</a></li>\n" : "";
  slots["cliff_section"] = cliff ? cliff_section(report) : "";
  slots["advice_section"] = advice_section(words);
  slots["nav_advice"] = words.advice ? "<li><a href=\"#knobs\">Knobs</a></li>\n" : "";
  slots["error_section"] = error_section(report);
  slots["trust_note"] = html_with_terms(trust_rule(report));
  slots["trust_table"] = html_table(trust_table(report), "What each try vouches for itself with");
  slots["reconciliation"] = reconciliation_html(report);
  slots["parameters_table"] = html_table(parameters_table(report), "Scenario");
  slots["environment_table"] = html_table(environment_table(report), "Machine");
  for (const std::string& command : rerun_commands(report, directory)) {
    slots["commands"] += html_escaped(command) + "\n";
  }
  slots["glossary"] = glossary_html();
  slots["version"] = html_escaped(version());
  slots["data"] = script_escaped(boost::json::serialize(picture_data(report, pictures)));
  return filled(html_files::report_page, slots);
}

}  // namespace retrystorm

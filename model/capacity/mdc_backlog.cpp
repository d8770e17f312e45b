// The pmf of the backlog V of M/D/c by its two routes, and the decay that both need. What follows
// from the pmf is in mdc.cpp.
#include "model/capacity/domain.hpp"
#include "model/capacity/mdc.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

#include <boost/math/special_functions/gamma.hpp>
#include <boost/math/tools/toms748_solve.hpp>
#include <unsupported/Eigen/FFT>

namespace retrystorm::capacity {
namespace {

using Complex = std::complex<double>;

void check(const char* function, double erlangs, std::int64_t servers) {
  require_positive(function, "erlangs", erlangs);
  require(erlangs < static_cast<double>(servers), function, "erlangs", erlangs,
          "be below the number of servers");
}

// Panjer's step: the next value of the pmf with generating function exp(sum_j b_j (z^j - 1)), from
// n v_n = sum_j j b_j v_{n-j} (Panjer 1981). b[0] is unused; b.size() > v.size() or the rest is 0.
double panjer_next(const std::vector<double>& b, const std::vector<double>& v) {
  const std::size_t n = v.size();
  double sum = 0;
  for (std::size_t j = 1; j <= n && j < b.size(); ++j) {
    sum += static_cast<double>(j) * b[j] * v[n - j];
  }
  return sum / static_cast<double>(n);
}

// e^w - 1 without cancellation for small w.
Complex expm1(Complex w) {
  const double half = std::sin(w.imag() / 2);
  return {std::expm1(w.real()) * std::cos(w.imag()) - 2 * half * half,
          std::exp(w.real()) * std::sin(w.imag())};
}

// -log((1 - phi(z)) / ((1 - z/tau)(1 - 1/z))), phi(z) = e^{a(z-1)} z^{-c}: analytic around the
// annulus 1 <= |z| <= tau, because its zeros at 1 and tau are divided out.
Complex smooth_logarithm(Complex z, double a, double c, double tau) {
  const Complex u = z - 1.0;
  // log z = log1p(u), real part by log1p of |z|^2 - 1.
  const Complex log_z(0.5 * std::log1p(2 * u.real() + std::norm(u)), std::arg(z));
  const Complex one_minus_phi = -expm1(a * u - c * log_z);
  return -std::log(one_minus_phi) + std::log((tau - z) / tau) + std::log(u / z);
}

// Laurent coefficients h_0 ... h_{size/2 - 1} of smooth_logarithm, from `size` points on |z| =
// sqrt(tau). `aliasing`: the largest that is left out, relative to the largest.
std::vector<double> laurent(double a, double c, double tau, std::size_t size, double& aliasing) {
  const double radius = std::sqrt(tau);
  const double step = 2 * std::numbers::pi / static_cast<double>(size);
  std::vector<Complex> values(size);
  for (std::size_t k = 0; k < size; ++k) {
    // Half a step off the real axis: between 1 and tau, 1 - phi is all cancellation.
    const double angle = step * (static_cast<double>(k) + 0.5);
    values[k] = smooth_logarithm(std::polar(radius, angle), a, c, tau);
  }
  std::vector<Complex> transformed;
  Eigen::FFT<double> fft;
  fft.fwd(transformed, values);
  // Coefficient j, scaled by radius^j, is at j, coefficient -j at size - j: they meet at size / 2.
  const std::size_t half = size / 2;
  double largest = 0;
  for (std::size_t j = 1; j < size; ++j) largest = std::max(largest, std::abs(transformed[j]));
  aliasing = std::abs(transformed[half]) / largest;
  std::vector<double> h(half);
  double scale = 1;
  for (std::size_t j = 0; j < half; ++j, scale /= radius) {
    const Complex turned = transformed[j] * std::polar(1.0, -step / 2 * static_cast<double>(j));
    h[j] = turned.real() / static_cast<double>(size) * scale;
  }
  return h;
}

}  // namespace

double mdc_decay(double utilisation) {
  require(utilisation > 0 && utilisation < 1, "mdc_decay", "utilisation", utilisation,
          "be in (0, 1)");
  // x = ln tau: rho (e^x - 1) - x has its minimum at -ln rho and the root beyond it.
  const auto f = [&](double x) { return utilisation * std::expm1(x) - x; };
  const double low = -std::log(utilisation);
  double high = 2 * low;
  while (f(high) <= 0) high *= 1.5;
  std::uintmax_t iterations = 200;
  const auto [a, b] = boost::math::tools::toms748_solve(
      f, low, high, boost::math::tools::eps_tolerance<double>(52), iterations);
  return std::exp((a + b) / 2);
}

std::vector<double> mdc_backlog_by_series(double erlangs, std::int64_t servers) {
  check("mdc_backlog_by_series", erlangs, servers);
  const auto c = static_cast<double>(servers);
  const double tau = mdc_decay(erlangs / c);
  // terms[k-1] = P(Poisson(ka) = kc + j) at the current j; the list of k grows as j asks for more.
  std::vector<double> terms;
  const auto next_b = [&](double j) {
    double sum = 0;
    for (std::size_t i = 0; i < terms.size(); ++i) {
      const auto k = static_cast<double>(i + 1);
      terms[i] *= k * erlangs / (k * c + j);
      sum += terms[i] / k;
    }
    while (true) {
      const auto k = static_cast<double>(terms.size() + 1);
      // A term below 1e-18 of the sum ends it, but only where the terms already fall.
      const double last = terms.empty() ? 1 : terms.back() / (k - 1);
      if (terms.size() > 1 && last <= 1e-18 * sum && terms.back() <= terms[terms.size() - 2]) break;
      terms.push_back(boost::math::gamma_p_derivative(k * c + j + 1, k * erlangs));
      sum += terms.back() / k;
      if (terms.back() == 0) break;
    }
    return sum;
  };
  // v_0 = exp(-sum b_j) is not needed yet: the recursion is linear, so start from 1 and normalise.
  std::vector<double> b{0.0};
  std::vector<double> v{1.0};
  for (int steady = 0; steady < 8;) {
    b.push_back(next_b(static_cast<double>(b.size())));
    v.push_back(panjer_next(b, v));
    const double ratio = v.back() * tau / v[v.size() - 2];
    steady = std::abs(ratio - 1) < 1e-14 || v.back() < 1e-290 ? steady + 1 : 0;
  }
  double sum = v.back() / (tau - 1);
  for (std::size_t n = v.size(); n-- > 0;) sum += v[n];
  for (double& p : v) p /= sum;
  return v;
}

std::vector<double> mdc_backlog_by_transform(double erlangs, std::int64_t servers) {
  check("mdc_backlog_by_transform", erlangs, servers);
  const auto c = static_cast<double>(servers);
  const double tau = mdc_decay(erlangs / c);
  double aliasing = 1;
  std::vector<double> h;
  for (std::size_t size = 256; size <= (1U << 20U); size *= 2) {
    h = laurent(erlangs, c, tau, size, aliasing);
    if (aliasing < 1e-15) break;
  }
  // Past here the coefficients are rounding.
  const double largest = std::abs(*std::max_element(
      h.begin() + 1, h.end(), [](double x, double y) { return std::abs(x) < std::abs(y); }));
  while (h.size() > 2 && std::abs(h.back()) < 1e-17 * largest) h.pop_back();
  // b_j = h_j + tau^-j / j: V is the sum of an independent geometric number (the second part) and R
  // (the first). R's weights fall faster; some are below 0.
  std::vector<double> r{1.0};
  double total = 1;
  double scale = 1;  // tau^n: R matters while r_n tau^n does
  for (int steady = 0; steady < 8 && r.size() < 4 * h.size() + 64;) {
    r.push_back(panjer_next(h, r));
    scale *= tau;
    total += r.back() * scale;
    steady = std::abs(r.back() * scale) < 1e-16 * std::abs(total) ? steady + 1 : 0;
  }
  std::vector<double> v(r.size());
  double geometric = 0;  // sum_i r_i tau^-(n-i)
  for (std::size_t n = 0; n < r.size(); ++n) {
    geometric = geometric / tau + r[n];
    v[n] = geometric;
  }
  double sum = v.back() / (tau - 1);
  for (std::size_t n = v.size(); n-- > 0;) sum += v[n];
  for (double& p : v) p /= sum;
  return v;
}

}  // namespace retrystorm::capacity

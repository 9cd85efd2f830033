// Measures iso3dfd as a share of what the memory bandwidth allows at 16 bytes a point, both in one interleaved run.
#include <omp.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

#include "bandwidth.hpp"
#include "interval.hpp"
#include "isa.hpp"
#include "quiet.hpp"
#include "wave.hpp"
#include "weights.hpp"

namespace iso3dfd::bench {
namespace {

constexpr int kN1 = 512, kN2 = 512, kN3 = 256;
constexpr double kBytesPerPoint = 16.0;  // prev and velocity read, next read and written

struct Shape {
    int n1, n2, n3;
};

struct Settings {
    int threads = 2;
    int rounds = 25;
    std::string isa = "auto";
    Shape shape{0, 0, 0};  // searched for when not given
    bool small_pages = true;
};

// How many passes were timed, and how many of them had their CPUs to themselves.
struct Tally {
    int passes = 0, undisturbed = 0;
    double seconds(const Timing& timing) {
        ++passes;
        undisturbed += timing.undisturbed;
        return timing.seconds;
    }
};

// Shapes worth trying: whole rows or half of them, few or many of them, all planes or slabs of them. Each leaves both
// threads the same work.
std::vector<Shape> candidates() {
    std::vector<Shape> shapes;
    for (int n2 : {32, 64, 128, 256, 512}) {
        for (int n3 : {256, 128, 64, 32}) {
            if (n2 < 512 || n3 < 256) shapes.push_back({512, n2, n3});
        }
    }
    for (int n2 : {64, 128, 256}) shapes.push_back({256, n2, 256});
    return shapes;
}

class Subject {
public:
    Subject(const Isa& isa, int threads, Pages pages) : isa_(isa), threads_(threads), wave_({kN1, kN2, kN3}, pages) {
        wave_.initialise_in_parallel(Blocks(wave_.grid(), kN1, kN2, 8), threads);
    }
    // Points per second of one step.
    double measure(const Shape& shape) {
        constexpr auto weights = rounded(second_derivative_weights());
        const Blocks blocks(wave_.grid(), shape.n1, shape.n2, shape.n3);
        const Timing timing =
            time_quietly(threads_, [&] { wave_.step(blocks, Schedule::fixed, threads_, isa_.kernel, weights); });
        return wave_.grid().points() / tally.seconds(timing);
    }

    Tally tally;

private:
    Isa isa_;
    int threads_;
    Wave wave_;
};

// The shape with the best single step; the shapes take turns, so that a disturbance does not hit one of them alone.
Shape search(Subject& subject) {
    const std::vector<Shape> shapes = candidates();
    std::vector<double> best(shapes.size(), 0.0);
    for (int turn = 0; turn < 3; ++turn) {
        for (std::size_t i = 0; i < shapes.size(); ++i) best[i] = std::max(best[i], subject.measure(shapes[i]));
    }
    std::vector<std::size_t> order(shapes.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return best[a] > best[b]; });
    for (int i = 0; i < 5; ++i) {
        const Shape& s = shapes[order[i]];
        std::printf("  block %3d x %3d x %3d: best step %7.1f MPoints/s\n", s.n1, s.n2, s.n3, best[order[i]] * 1e-6);
    }
    return shapes[order[0]];
}

// One pass of everything, close together in time.
struct Round {
    double points;  // a second
    double bandwidth[Bandwidth::kCount];

    double best() const { return *std::max_element(bandwidth, bandwidth + Bandwidth::kCount); }
};

Round measure_round(Subject& subject, Bandwidth& bandwidth, const Shape& shape, int threads) {
    Round round{};
    for (int which = 0; which < Bandwidth::kCount; ++which) {
        const Timing timing = time_quietly(threads, [&] { bandwidth.sweep(which); });
        round.bandwidth[which] = Bandwidth::bytes(which) / subject.tally.seconds(timing);
    }
    round.points = subject.measure(shape);
    return round;
}

template <class Value>
Interval over(const std::vector<Round>& rounds, Value&& value) {
    std::vector<double> values;
    for (const Round& round : rounds) values.push_back(value(round));
    return median_interval(values);
}

void print(std::string_view what, const Interval& i, const char* unit) {
    std::printf("  %-28.*s %9.3f%s (95 %% interval %.3f to %.3f)\n", static_cast<int>(what.size()), what.data(), i.median,
                unit, i.low, i.high);
}

void report(const std::vector<Round>& rounds, const Tally& tally) {
    std::printf("  medians of %zu rounds (%d of %d passes had their CPUs to themselves):\n", rounds.size(),
                tally.undisturbed, tally.passes);
    if (tally.undisturbed < tally.passes) {
        std::printf("  disturbed by other programs: run it alone, or as root under chrt -f 5, for figures to rely on\n");
    }
    for (int which = 0; which < Bandwidth::kCount; ++which) {
        print(Bandwidth::kNames[which], over(rounds, [&](const Round& r) { return r.bandwidth[which] * 1e-9; }), " GB/s");
    }
    print("iso3dfd", over(rounds, [](const Round& r) { return r.points * 1e-6; }), " MPoints/s");
    for (int which = 0; which < Bandwidth::kCount; ++which) {
        const auto share = [&](const Round& r) { return r.points * kBytesPerPoint / r.bandwidth[which]; };
        print("share of " + std::string(Bandwidth::kNames[which]), over(rounds, share), "");
    }
    print("share of bandwidth", over(rounds, [](const Round& r) { return r.points * kBytesPerPoint / r.best(); }),
          ", of the best loop in each round");
}

void measure_with(const Settings& settings, const Isa& isa, Pages pages, const char* name) {
    std::printf("pages: %s\n", name);
    Subject subject(isa, settings.threads, pages);
    Bandwidth bandwidth(settings.threads, pages);
    const Shape shape = settings.shape.n1 > 0 ? settings.shape : search(subject);
    subject.tally = {};
    std::vector<Round> rounds;
    for (int i = 0; i < settings.rounds; ++i) {
        rounds.push_back(measure_round(subject, bandwidth, shape, settings.threads));
    }
    report(rounds, subject.tally);
    std::fflush(stdout);
}

Settings parse(int argc, char** argv) {
    Settings settings;
    for (int i = 1; i < argc; ++i) {
        const std::string name = argv[i];
        const char* value = i + 1 < argc ? argv[++i] : "";
        if (name == "--threads" && std::atoi(value) > 0) {
            settings.threads = std::atoi(value);
        } else if (name == "--rounds" && std::atoi(value) > 0) {
            settings.rounds = std::atoi(value);
        } else if (name == "--isa" && find_isa(value)) {
            settings.isa = value;
        } else if (name == "--block" && std::sscanf(value, "%dx%dx%d", &settings.shape.n1, &settings.shape.n2,
                                                    &settings.shape.n3) == 3) {
            continue;
        } else if (name == "--pages" && std::string(value) == "huge") {
            settings.small_pages = false;
        } else {
            throw std::invalid_argument("found '" + name + " " + value +
                                        "', expected --threads N, --rounds N, --block AxBxC, --pages huge or --isa NAME that this CPU has");
        }
    }
    return settings;
}

}  // namespace
}  // namespace iso3dfd::bench

int main(int argc, char** argv) {
    using namespace iso3dfd;
    using namespace iso3dfd::bench;
    try {
        const Settings settings = parse(argc, argv);
        const Isa isa = *find_isa(settings.isa);
        std::printf("iso3dfd bench: %d x %d x %d points, %d threads, isa %.*s, %g bytes a point\n", kN1, kN2, kN3,
                    settings.threads, static_cast<int>(isa.name.size()), isa.name.data(), kBytesPerPoint);
        measure_with(settings, isa, Pages::huge, "huge");
        if (settings.small_pages) measure_with(settings, isa, Pages::small, "small");
    } catch (const std::exception& error) {
        std::fprintf(stderr, "iso3dfd bench: %s\n", error.what());
        return 2;
    }
    return 0;
}

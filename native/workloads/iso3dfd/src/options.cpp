#include "options.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <vector>

namespace iso3dfd {

const char kUsage[] =
    "usage: iso3dfd n1 n2 n3 iterations n1_block n2_block n3_block threads [options]\n"
    "\n"
    "Steps the isotropic acoustic wave equation in time on a grid of n1 x n2 x n3 points (n1 is contiguous in memory; the\n"
    "halo of 8 points on every side is added to these) with a stencil of 16th order, and reports the throughput.\n"
    "\n"
    "  n1_block n2_block n3_block   the points a thread works on at a time\n"
    "  threads                      0: as OpenMP decides (OMP_NUM_THREADS, or all CPUs)\n"
    "  --schedule static|dynamic    how blocks go to threads (default: static)\n"
    "  --first-touch                initialise every block by the thread that computes it; without it, one thread\n"
    "                               initialises all, as so many programs do\n"
    "  --first-touch=FIELD,...      only these fields so: now, other, velocity\n"
    "  --pages system|small|huge    huge pages: as the system decides (default), never, or asked for\n"
    "  --isa auto|avx512|avx2|generic   instruction set (default: auto, the best this CPU has)\n"
    "  --check                      compare the result with a naive double-precision reference (slow, more memory)\n"
    "  --help                       this text\n"
    "\n"
    "Exit status: 0 done; 1 the run failed or the check did not pass; 2 the arguments are wrong.\n";

namespace {

struct Positional {
    const char* name;
    int Options::*field;
    int least;
    int most;
};

// The limits keep every product of three within 64 bits.
constexpr Positional kPositionals[] = {
    {"n1", &Options::n1, 1, 65536},
    {"n2", &Options::n2, 1, 65536},
    {"n3", &Options::n3, 1, 65536},
    {"iterations", &Options::iterations, 1, 1000000000},
    {"n1_block", &Options::n1_block, 1, 65536},
    {"n2_block", &Options::n2_block, 1, 65536},
    {"n3_block", &Options::n3_block, 1, 65536},
    {"threads", &Options::threads, 0, 65536},
};
constexpr std::size_t kPositionalCount = sizeof kPositionals / sizeof kPositionals[0];

int parse_int(const Positional& positional, const char* text) {
    int value = 0;
    const char* end = text + std::strlen(text);
    const auto [stop, error] = std::from_chars(text, end, value);
    if (error != std::errc() || stop != end || value < positional.least || value > positional.most) {
        throw UsageError(std::string(positional.name) + ": found '" + text + "', expected a whole number from " +
                         std::to_string(positional.least) + " to " + std::to_string(positional.most));
    }
    return value;
}

[[noreturn]] void bad_value(const std::string& option, const std::string& value, const char* expected) {
    throw UsageError(option + ": found '" + value + "', expected " + expected);
}

Fields parse_fields(const std::string& name, const std::string& value) {
    Fields fields;
    for (std::size_t from = 0; from <= value.size();) {
        const std::size_t comma = std::min(value.find(',', from), value.size());
        const std::string field = value.substr(from, comma - from);
        if (field != "now" && field != "other" && field != "velocity") {
            bad_value(name, value, "now, other or velocity, or several of them with commas between");
        }
        (field == "now" ? fields.now : field == "other" ? fields.other : fields.velocity) = true;
        from = comma + 1;
    }
    return fields;
}

void parse_valued(Options& options, const std::string& name, const std::string& value) {
    if (name == "--schedule") {
        if (value != "static" && value != "dynamic") bad_value(name, value, "static or dynamic");
        options.schedule = value == "static" ? Schedule::fixed : Schedule::dynamic;
    } else if (name == "--pages") {
        if (value != "system" && value != "small" && value != "huge") bad_value(name, value, "system, small or huge");
        options.pages = value == "system" ? Pages::system : value == "small" ? Pages::small : Pages::huge;
    } else {
        if (value != "auto" && value != "avx512" && value != "avx2" && value != "generic") {
            bad_value(name, value, "auto, avx512, avx2 or generic");
        }
        options.isa = value;
    }
}

}  // namespace

Options parse_options(int argc, const char* const* argv) {
    Options options;
    std::vector<const char*> positionals;
    for (int i = 1; i < argc; ++i) {
        const std::string argument = argv[i];
        const std::size_t equals = argument.find('=');
        const std::string name = argument.substr(0, equals);
        const bool has_value = equals != std::string::npos;
        if (argument.rfind("--", 0) != 0) {
            positionals.push_back(argv[i]);
        } else if (name == "--schedule" || name == "--pages" || name == "--isa") {
            if (!has_value && i + 1 == argc) throw UsageError(name + ": found nothing after it, expected a value");
            parse_valued(options, name, has_value ? argument.substr(equals + 1) : argv[++i]);
        } else if (name == "--first-touch") {
            options.first_touch = has_value ? parse_fields(name, argument.substr(equals + 1)) : Fields::all();
        } else if (argument == "--check") {
            options.check = true;
        } else if (argument == "--help") {
            options.help = true;
            return options;
        } else {
            throw UsageError("found option '" + argument +
                             "', expected --schedule, --first-touch, --pages, --isa, --check or --help");
        }
    }
    if (positionals.size() != kPositionalCount) {
        throw UsageError("found " + std::to_string(positionals.size()) + " numbers, expected " +
                         std::to_string(kPositionalCount) +
                         ": n1 n2 n3 iterations n1_block n2_block n3_block threads");
    }
    for (std::size_t i = 0; i < kPositionalCount; ++i) {
        options.*kPositionals[i].field = parse_int(kPositionals[i], positionals[i]);
    }
    return options;
}

}  // namespace iso3dfd

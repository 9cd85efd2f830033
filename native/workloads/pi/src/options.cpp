#include "options.hpp"

#include <charconv>
#include <string>

namespace pi {

const char kUsage[] =
    "usage: pi [threads] [options]\n"
    "\n"
    "Computes pi as the integral of 4 / (1 + x^2) from 0 to 1 with the midpoint rule, by tasks of oneTBB, and reports the\n"
    "throughput. The time begins when all threads work.\n"
    "\n"
    "  threads            0 or left out: one for each CPU that the process may use\n"
    "  --steps N          intervals of the midpoint rule (default: 1000000000)\n"
    "  --repeat N         integrates so often, and reports mean and deviation (default: 1)\n"
    "  --pin on|off       pins each thread to one CPU of those that the process may use (default: off)\n"
    "  --pin-step N       goes over these CPUs by every N-th, then by every N-th from the second on, and so on\n"
    "                     (default: 1)\n"
    "  --help             this text\n"
    "\n"
    "Exit status: 0 done; 1 the run failed or the result is not pi; 2 the arguments are wrong.\n";

namespace {

std::int64_t parse_whole(const std::string& name, const std::string& text, std::int64_t least, std::int64_t most) {
    std::int64_t value = 0;
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc() || stop != end || value < least || value > most) {
        throw UsageError(name + ": found '" + text + "', expected a whole number from " + std::to_string(least) + " to " +
                         std::to_string(most));
    }
    return value;
}

int parse_threads(const std::string& text) { return static_cast<int>(parse_whole("threads", text, 0, 65536)); }

void parse_valued(Options& options, const std::string& name, const std::string& value) {
    if (name == "--steps") {
        options.steps = parse_whole(name, value, 1, 1000000000000000);
    } else if (name == "--repeat") {
        options.repeat = static_cast<int>(parse_whole(name, value, 1, 1000000));
    } else if (name == "--pin-step") {
        options.pin_step = static_cast<int>(parse_whole(name, value, 1, 65536));
    } else {
        if (value != "on" && value != "off") throw UsageError(name + ": found '" + value + "', expected on or off");
        options.pin = value == "on";
    }
}

}  // namespace

Options parse_options(int argc, const char* const* argv) {
    Options options;
    bool has_threads = false;
    for (int i = 1; i < argc; ++i) {
        const std::string argument = argv[i];
        const std::size_t equals = argument.find('=');
        const std::string name = argument.substr(0, equals);
        const bool has_value = equals != std::string::npos;
        if (argument.rfind("--", 0) != 0) {
            if (has_threads) throw UsageError("found '" + argument + "' after the number of threads, expected an option");
            options.threads = parse_threads(argument);
            has_threads = true;
        } else if (name == "--steps" || name == "--repeat" || name == "--pin" || name == "--pin-step") {
            if (!has_value && i + 1 == argc) throw UsageError(name + ": found nothing after it, expected a value");
            parse_valued(options, name, has_value ? argument.substr(equals + 1) : argv[++i]);
        } else if (argument == "--help") {
            options.help = true;
            return options;
        } else {
            throw UsageError("found option '" + argument + "', expected --steps, --repeat, --pin, --pin-step or --help");
        }
    }
    return options;
}

}  // namespace pi

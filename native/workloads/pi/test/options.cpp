// Good and bad command lines.
#include "options.hpp"

#include <string>
#include <vector>

#include "tests.hpp"

namespace pi::test {
namespace {

Options parse(std::vector<const char*> arguments) {
    arguments.insert(arguments.begin(), "pi");
    return parse_options(static_cast<int>(arguments.size()), arguments.data());
}

// The error's text must name what was found.
void rejects(std::vector<const char*> arguments, const char* found) {
    try {
        parse(std::move(arguments));
        CHECK(false, "accepted, though it has %s", found);
    } catch (const UsageError& error) {
        const std::string text = error.what();
        CHECK(text.find(found) != std::string::npos && text.find("expected") != std::string::npos, "text: %s", error.what());
    }
}

}  // namespace

void options_tests() {
    const Options plain = parse({});
    CHECK(plain.threads == 0 && plain.steps == 1000000000 && plain.repeat == 1, "numbers");
    CHECK(!plain.pin && plain.pin_step == 1 && !plain.help, "defaults");
    const Options all = parse({"--steps=5000000000", "7", "--repeat", "3", "--pin", "on", "--pin-step=4"});
    CHECK(all.threads == 7 && all.steps == 5000000000 && all.repeat == 3 && all.pin && all.pin_step == 4, "options");
    CHECK(!parse({"--pin=on", "--pin=off"}).pin && parse({"--help"}).help, "options");

    rejects({"1", "2"}, "found '2' after");
    rejects({"two"}, "threads: found 'two'");
    rejects({"-1"}, "threads: found '-1'");
    rejects({"65537"}, "threads: found '65537'");
    rejects({""}, "threads: found ''");
    rejects({"--steps", "0"}, "--steps: found '0'");
    rejects({"--steps", "1e9"}, "--steps: found '1e9'");
    rejects({"--steps=99999999999999999999"}, "--steps: found '99999999999999999999'");
    rejects({"--steps"}, "nothing");
    rejects({"--repeat=0"}, "--repeat: found '0'");
    rejects({"--pin", "yes"}, "--pin: found 'yes'");
    rejects({"--pin-step", "0"}, "--pin-step: found '0'");
    rejects({"--pinned"}, "'--pinned'");
    rejects({"--help=1"}, "'--help=1'");
}

}  // namespace pi::test

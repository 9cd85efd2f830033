// Good and bad command lines.
#include "options.hpp"

#include <vector>

#include "tests.hpp"

namespace iso3dfd::test {
namespace {

Options parse(std::vector<const char*> arguments) {
    arguments.insert(arguments.begin(), "iso3dfd");
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
    const Options plain = parse({"10", "20", "30", "4", "5", "6", "7", "0"});
    CHECK(plain.n1 == 10 && plain.n2 == 20 && plain.n3 == 30 && plain.iterations == 4, "sizes");
    CHECK(plain.n1_block == 5 && plain.n2_block == 6 && plain.n3_block == 7 && plain.threads == 0, "blocks");
    CHECK(plain.schedule == Schedule::fixed && !plain.first_touch.any() && !plain.check, "defaults");
    const Options all = parse({"--schedule=dynamic", "1", "1", "1", "1", "--first-touch", "1", "1", "1", "2", "--check",
                               "--pages", "small", "--isa", "generic"});
    CHECK(all.schedule == Schedule::dynamic && all.first_touch.are_all() && all.check, "options");
    CHECK(all.pages == Pages::small && all.isa == "generic" && all.threads == 2, "options");
    const Options some = parse({"--first-touch=velocity,now", "1", "1", "1", "1", "1", "1", "1", "2"});
    CHECK(some.first_touch.now && !some.first_touch.other && some.first_touch.velocity, "fields");
    CHECK(parse({"--help"}).help, "help");

    rejects({}, "0 numbers");
    rejects({"1", "2", "3"}, "3 numbers");
    rejects({"1", "1", "1", "1", "1", "1", "1", "1", "9"}, "9 numbers");
    rejects({"0", "1", "1", "1", "1", "1", "1", "1"}, "n1: found '0'");
    rejects({"1", "-5", "1", "1", "1", "1", "1", "1"}, "n2: found '-5'");
    rejects({"1", "1", "65537", "1", "1", "1", "1", "1"}, "n3: found '65537'");
    rejects({"1", "1", "1", "1e3", "1", "1", "1", "1"}, "iterations: found '1e3'");
    rejects({"1", "1", "1", "1", "", "1", "1", "1"}, "n1_block: found ''");
    rejects({"1", "1", "1", "1", "1", "99999999999999999999", "1", "1"}, "n2_block: found '99999999999999999999'");
    rejects({"1", "1", "1", "1", "1", "1", "1x", "1"}, "n3_block: found '1x'");
    rejects({"1", "1", "1", "1", "1", "1", "1", "two"}, "threads: found 'two'");
    rejects({"--schedule", "guided"}, "'guided'");
    rejects({"--schedule"}, "nothing");
    rejects({"--pages=big"}, "'big'");
    rejects({"--isa", "sse"}, "'sse'");
    rejects({"--first-touch=yes"}, "--first-touch: found 'yes'");
    rejects({"--first-touch="}, "--first-touch: found ''");
    rejects({"--first-touch=now,"}, "--first-touch: found 'now,'");
    rejects({"--first-touchy"}, "'--first-touchy'");
    rejects({"--fast"}, "'--fast'");
}

}  // namespace iso3dfd::test

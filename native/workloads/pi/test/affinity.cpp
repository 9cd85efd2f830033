// The order of CPUs, and the mask of a thread.
#include "affinity.hpp"

#include <unistd.h>

#include "tests.hpp"

namespace pi::test {

void affinity_tests() {
    using List = std::vector<int>;
    const List cpus = {2, 3, 5, 7, 11};
    CHECK(by_step(cpus, 1) == cpus, "as they are");
    CHECK((by_step(cpus, 2) == List{2, 5, 11, 3, 7}), "every second");
    CHECK((by_step(cpus, 4) == List{2, 11, 3, 5, 7}), "every fourth");
    CHECK(by_step(cpus, 5) == cpus && by_step(cpus, 60000) == cpus, "wider than there are CPUs");
    CHECK(by_step({9}, 3) == List{9}, "one CPU");

    const List own = own_cpus();
    CHECK(!own.empty() && own.size() <= static_cast<std::size_t>(sysconf(_SC_NPROCESSORS_CONF)), "%zu CPUs", own.size());
    CHECK(set_own_cpus({own.back()}) && own_cpus() == List{own.back()}, "one CPU");
    CHECK(!set_own_cpus({}), "no CPU");
    CHECK(!set_own_cpus({100000}) && own_cpus() == List{own.back()}, "a CPU that is not there changes nothing");
    CHECK(set_own_cpus(own) && own_cpus() == own, "all again");
}

}  // namespace pi::test

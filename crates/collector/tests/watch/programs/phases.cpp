// A region that an exception leaves, and one that ends with its scope.
#include <numawise.h>
#include <cstdio>
#include <stdexcept>

int main()
{
    for (int k = 0; k < 3; k++) {
        try {
            numawise::region outer("outer");
            numawise::region inner("inner");
            if (k == 1)
                throw std::runtime_error("left");
        } catch (const std::runtime_error &error) {
            std::puts(error.what());
        }
    }
    return 0;
}

// std::sort, of which a template of the system's headers stays a function of its own: prints where that begins, and waits.
#include <algorithm>
#include <cstdio>
#include <vector>

int main() {
    void (*sort)(std::vector<double>::iterator, std::vector<double>::iterator) = std::sort<std::vector<double>::iterator>;
    std::printf("%p\n", reinterpret_cast<void *>(sort));
    std::fclose(stdout);
    return std::getchar() == EOF ? 0 : 1;
}

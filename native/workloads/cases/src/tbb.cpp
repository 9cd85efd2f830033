// cases_tbb MIB ROUNDS THREADS: an array that one thread touches and oneTBB's tasks sweep; who is free takes the next piece.
#include <tbb/blocked_range.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

constexpr std::size_t kLineWords = 8, kPageWords = 512, kPieceLines = 512;

void sweep(std::uint64_t* words, std::size_t count) {
    tbb::parallel_for(tbb::blocked_range<std::size_t>(0, count / kLineWords, kPieceLines), [&](const auto& range) {
        for (std::size_t line = range.begin(); line != range.end(); ++line) words[line * kLineWords] += 1;
    });
}

}  // namespace

int main(int count, char** words) {
    if (count != 4) {
        std::fprintf(stderr, "usage: cases_tbb MIB ROUNDS THREADS\n");
        return 2;
    }
    const auto begin = std::chrono::steady_clock::now();
    const std::size_t bytes = std::strtoull(words[1], nullptr, 10) << 20;
    const long rounds = std::strtol(words[2], nullptr, 10);
    const tbb::global_control threads(tbb::global_control::max_allowed_parallelism, std::strtoul(words[3], nullptr, 10));
    const std::size_t size = bytes / sizeof(std::uint64_t);
    // Pages come with the first write to them, to the last word of each.
    auto* memory = static_cast<std::uint64_t*>(std::calloc(size, sizeof(std::uint64_t)));
    if (memory == nullptr) return 1;
    for (std::size_t at = kPageWords - 1; at < size; at += kPageWords) memory[at] = 1;
    for (long round = 0; round < rounds; ++round) sweep(memory, size);
    const char* check = std::getenv("CASES_CHECK");
    for (std::size_t at = 0; check && !std::strcmp(check, "1") && at < size; at += kLineWords) {
        if (memory[at] != static_cast<std::uint64_t>(rounds)) {
            std::fprintf(stderr, "cases_tbb: wrong result: a line was not swept as often as asked\n");
            return 1;
        }
    }
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    std::printf("cases_tbb: done\nseconds: %.6f\n", took.count());
    return 0;
}

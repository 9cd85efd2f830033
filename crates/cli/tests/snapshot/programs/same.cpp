// Exceptions through threads and libraries, objects with static life, streams, coroutines of a kind: C++ as programs have it.
#include <atomic>
#include <exception>
#include <future>
#include <iostream>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

struct Speaks {
    std::string name;
    ~Speaks() { std::cout << name << " is gone\n"; }
};
static Speaks global{"global"};
static thread_local Speaks in_thread{"of a thread"};

int main(int argc, char **argv) {
    const std::string way = argc > 1 ? argv[1] : "";
    if (way == "terminate")
        throw std::runtime_error("nobody catches this");
    std::atomic<long> sum{0};
    std::vector<std::thread> all;
    for (int k = 0; k < 8; ++k)
        all.emplace_back([&sum, k] {
            try {
                if (k % 2)
                    throw std::out_of_range("odd");
                sum += k;
            } catch (const std::exception &odd) {
                sum += 100;
            }
        });
    for (auto &thread : all)
        thread.join();
    std::thread([] { std::cout << in_thread.name << '\n'; }).join();
    auto failed = std::async(std::launch::async, []() -> int { throw std::logic_error("carried over"); });
    try {
        failed.get();
    } catch (const std::logic_error &error) {
        std::cout << error.what() << ' ' << sum << '\n';
    }
    std::map<std::string, int> words;
    for (std::string word; std::cin >> word;)
        ++words[word];
    for (const auto &[word, count] : words)
        std::cout << word << ' ' << count << '\n';
    std::cerr << "on the other stream\n";
    return static_cast<int>(words.size());
}

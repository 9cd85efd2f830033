// Functions of C++: exceptions that pass by, virtual calls, containers, lambdas.
#include <algorithm>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

extern "C" {
#include "stepped.h"
}

static volatile double sink;

struct Shape {
    virtual ~Shape() = default;
    virtual double area(int n) const = 0;
};

struct Grid : Shape {
    std::vector<double> u, v;
    explicit Grid(int n) : u(n), v(n, 2.0) {}
    double area(int n) const override
    {
        if (n > 9)
            throw std::runtime_error("too large");
        return std::accumulate(u.begin(), u.end(), 0.0) + v[n];
    }
};

static void work()
{
    std::unique_ptr<Shape> grid = std::make_unique<Grid>(40);
    try {
        sink = grid->area(3) + grid->area(12);
    } catch (const std::exception &e) {
        sink = e.what()[0];
    }
    std::map<std::string, int> counts;
    for (const char *word : {"one", "two", "three", "a word that is too long to be kept inside", "two"})
        counts[word]++;
    std::vector<int> order(17);
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [&](int a, int b) { return (a * 7) % 17 < (b * 7) % 17; });
    std::function<int(int)> fibonacci = [&](int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); };
    sink = fibonacci(6) + order[3] + counts.size();
}

int main()
{
    run_stepped(work);
}

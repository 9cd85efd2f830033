#include "allocations.h"
#include <memory>
#include <string>
#include <vector>

static double table[4096];
int counters[3000] = {1};
namespace physics {
std::vector<double> unused;
double constants[2048];
}

struct Grid {
    std::vector<double> u_, v_;
    double *w_;
    int n_;
    Grid(int n);
};

Grid::Grid(int n)
    : u_(n),
      v_(n + 1000), w_(new double[n + 2000]),
      n_(n)
{
}

static double *make(size_t n)
{
    static float buffer[5000];
    __asm__ volatile("" ::"r"(buffer) : "memory");
    return (double *)malloc(n);
}

struct Holder {
    double *data_;
    void fill(size_t n) { this->data_ = static_cast<double *>(malloc(n)); }
};

int main()
{
    void *frame;
    backtrace(&frame, 1);
    double *plain = (double *)malloc(800001);
    double *split =
        (double *)
            malloc(800002);
    std::vector<double> a(200000, 1.0), b(210000);
    std::vector<float> c;
    c.resize(300000);
    auto owned = std::make_unique<double[]>(220000);
    double *made = make(800003);
    Grid grid(100000);
    Holder holder;
    holder.fill(800004);
    double *rows[3];
    for (int i = 0; i < 3; i++)
        rows[i] = new double[400000 + i];
    std::string text(900000, 'x');
    double *more = nullptr;
    auto lambda = [&](size_t n) { more = (double *)malloc(n); };
    lambda(800005);
    table[5] = a[3] + b[4] + c[5] + owned[6] + text[7] + counters[2] + physics::constants[8] + grid.u_[1];
    plain[0] = more[0] = split[0] = made[0] = holder.data_[0] = rows[2][0] = grid.w_[0] = table[5];
    // All is used, as far as the compiler knows.
    __asm__ volatile("" ::"r"(table), "r"(plain), "r"(split), "r"(more), "r"(made), "r"(counters), "r"(rows) : "memory");
    __asm__ volatile("" ::"r"(a.data()), "r"(b.data()), "r"(c.data()), "r"(owned.get()), "r"(text.data()), "r"(holder.data_) : "memory");
    fclose(stdout);
    close(1);
    char byte;
    while (read(0, &byte, 1) > 0) {
    }
}

/* Loops that compilers vectorize, and loops that they do not, each for a reason of its own. */
#include <math.h>

extern void said(double);

void scaled(double *restrict to, const double *restrict from, int count)
{
    for (int i = 0; i < count; i++) to[i] = 2 * from[i];
}

double total(const double *of, int count)
{
    double sum = 0;
    for (int i = 0; i < count; i++)
        sum = sum * of[i];
    return sum;
}

void running(double *of, int count)
{
    for (int i = 1; i < count; i++)
        of[i] = of[i - 1] * 0.5 + of[i];
}

void carried(double *to, const double *from, int count)
{
    double last = 0;
    for (int i = 0; i < count; i++) {
        to[i] = last * from[i];
        last = to[i] - last;
    }
}

int first_above(const double *of, double limit)
{
    int i = 0;
    while (of[i] < limit) i++;
    return i;
}

void tells(double *of, int count)
{
    for (int i = 0; i < count; i++) said(of[i]);
}

void waves(double *restrict to, const double *restrict from, int count)
{
    for (int i = 0; i < count; i++)
        to[i] = sin(from[i]);
}

void scattered(double *restrict to, const double *restrict from, const int *restrict at, int count)
{
    for (int i = 0; i < count; i++) to[at[i]] = from[i];
}

void chosen(double *to, const int *kind, int count)
{
    for (int i = 0; i < count; i++)
        switch (kind[i]) {
        case 1: to[i] = 1; break;
        case 4: to[i] /= 3; break;
        case 9: to[i] = -to[i]; break;
        }
}

double added(const double *of, int count)
{
    double sum = 0;
    for (int i = 0; i < count; i++) sum += of[i];
    return sum;
}

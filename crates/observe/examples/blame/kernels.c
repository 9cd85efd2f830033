/* Loops as programs have them. Each lies in a section of its own, so that the linker says where it begins and ends. */
#include <string.h>
#define KERNEL(name) __attribute__((noinline, section("k_" #name))) void name
#define LOOP(name) KERNEL(name)(double *a, double *b, double *c, int *x, long n)

extern long elements_b;
volatile double sink;

LOOP(copy) { for (long i = 0; i < n; i++) a[i] = b[i]; }
LOOP(scale) { for (long i = 0; i < n; i++) a[i] = 3.0 * b[i]; }
LOOP(triad) { for (long i = 0; i < n; i++) a[i] = b[i] + 3.0 * c[i]; }
LOOP(sum) { double s = 0; for (long i = 0; i < n; i++) s += b[i]; sink = s; }
LOOP(dot) { double s = 0; for (long i = 0; i < n; i++) s += b[i] * c[i]; sink = s; }
LOOP(strided) { double s = 0; for (long i = 0; i < n; i += 16) s += b[i] * 2.0 + c[i]; sink = s; }
LOOP(fill) { for (long i = 0; i < n; i++) a[i] = 1.0; }
LOOP(gather) { for (long i = 0; i < n; i++) a[i] = b[x[i]]; }
LOOP(gather_sum) { double s = 0; for (long i = 0; i < n; i++) s += b[x[i]] * c[i]; sink = s; }
LOOP(histogram) { for (long i = 0; i < n; i++) b[x[i]] += c[i]; }
LOOP(branches) { for (long i = 0; i < n; i++) if (b[i] > 0.5) a[i] += c[i]; else a[i] = 0; }
LOOP(moved) { memcpy(a, b, n * sizeof *a); }
LOOP(unrolled) {
    double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    for (long i = 0; i + 3 < n; i += 4) { s0 += b[i] * c[i]; s1 += b[i + 1] * c[i + 1]; s2 += b[i + 2] * c[i + 2]; s3 += b[i + 3] * c[i + 3]; }
    sink = s0 + s1 + s2 + s3;
}
/* c: pointers to rows in b. */
LOOP(rows) { double s = 0, **row = (double **)c; for (long i = 0; i < n; i++) s += row[i][3]; sink = s; }
/* b: nodes, each with the next one and a value. */
struct node { struct node *next; double value; double rest[6]; };
LOOP(chase) { struct node *at = (struct node *)b; for (long i = 0; i < n; i++) at = at->next; a[0] = (double)(long)at; }
LOOP(list) { double s = 0; for (struct node *at = (struct node *)b; n-- > 0; at = at->next) s += at->value; a[0] = s; }
/* b: records of eight. */
LOOP(records) { for (long i = 0; i < n / 8; i++) { a[i] = b[8 * i] * b[8 * i + 1] + b[8 * i + 5]; } }
struct arrays { double *u, *v, *w; long n; };
static struct arrays arrays;
__attribute__((noinline, section("k_fields"))) static void over_fields(struct arrays *of) {
    for (long i = 0; i < of->n; i++) of->u[i] += of->v[i] * of->w[i];
}
LOOP(fields) { (void)x; arrays.u = a; arrays.v = b; arrays.w = c; arrays.n = n; over_fields(&arrays); }
__attribute__((noinline, section("k_called"))) static double weight(double *b, long i) { return b[i] * 0.5 + 1.0; }
LOOP(called) { for (long i = 0; i < n; i++) a[i] = weight(b, i) * c[i]; }
LOOP(search) {
    for (long k = 0; k < n / 16; k++) {
        double key = c[k];
        long low = 0, high = elements_b;
        while (low < high) { long middle = (low + high) / 2; if (b[middle] < key) low = middle + 1; else high = middle; }
        a[k] = low;
    }
}
/* More streams than registers: pointers come from the stack. */
LOOP(spilled) {
    double *p = b, *q = b + n / 8, *r = b + 2 * n / 8, *s = b + 3 * n / 8, *t = b + 4 * n / 8, *u = b + 5 * n / 8, *v = b + 6 * n / 8, *w = b + 7 * n / 8;
    double *d = c + n / 8, *e = c + 2 * n / 8, *f = c + 3 * n / 8, *g = c + 4 * n / 8, *h = c + 5 * n / 8, *k = c + 6 * n / 8, *l = c + 7 * n / 8;
    for (long i = 0; i < n / 8; i++) {
        if (x[i] == -1) { double *z = p; p = w; w = z; z = q; q = v; v = z; z = d; d = l; l = z; z = e; e = k; k = z; z = r; r = u; u = z; }
        a[i] = p[i] + q[i] * c[i] + r[i] * d[i] + s[i] * e[i] + t[i] * f[i] + u[i] * g[i] + v[i] * h[i] + w[i] * k[i] + l[i];
    }
}
/* As iso3dfd: 16th order, planes of 128 x 24 of float, of which 8 rows are inner ones. */
enum { N1 = 128, N2 = 24, PLANE = N1 * N2 };
LOOP(stencil) {
    static const float w[9] = {-2.8f, 1.7f, -.3f, .08f, -.02f, .005f, -.001f, .0002f, -.00001f};
    float *next = (float *)a, *now = (float *)b + 8 * PLANE, *speed = (float *)c;
    for (long j = 8; j < N2 - 8; j++)
        for (long i = 8; i < N1 - 8; i++) {
            long at = j * N1 + i;
            float v = now[at] * w[0];
#ifdef __clang__
#pragma clang loop unroll(full)
#else
#pragma GCC unroll 8
#endif
            for (long k = 1; k <= 8; k++)
                v += w[k] * (now[at + k] + now[at - k] + now[at + k * N1] + now[at - k * N1] + now[at + k * PLANE] + now[at - k * PLANE]);
            next[at] = 2.0f * now[at] - next[at] + v * speed[at];
        }
}

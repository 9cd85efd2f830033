//! Grids with known times: scaling curves, saturating, with a cliff, with interacting factors.

use numawise_stats::Coordinate;

pub struct Grid {
    pub name: &'static str,
    pub points: fn() -> Vec<Vec<Coordinate>>,
    pub times: fn() -> Vec<f64>,
    /// Where the machine's nodes are full.
    pub edges: &'static [usize],
}

pub const GRIDS: &[Grid] = &[
    Grid {
        name: "amdahl, 1 to 64 threads",
        points: || numbers(64),
        times: || of(64, |n| 0.03 + 0.97 / n),
        edges: &[],
    },
    Grid {
        name: "universal law, 1 to 64 threads",
        points: || numbers(64),
        times: || of(64, |n| (1.0 + 0.02 * (n - 1.0) + 0.002 * n * (n - 1.0)) / n),
        edges: &[],
    },
    Grid {
        name: "saturating bandwidth, 1 to 44 threads",
        points: || numbers(44),
        times: || of(44, |n| 1.0 / n.min(12.0) + 0.001 * n),
        edges: &[],
    },
    Grid {
        name: "a node is full at 16, 1 to 48 threads",
        points: || numbers(48),
        times: || of(48, |n| if n <= 16.0 { 1.0 / n } else { 1.6 / n.min(24.0) }),
        edges: &[15, 31, 47],
    },
    Grid {
        name: "threads by strategy",
        points: || two(44, 3),
        times: || {
            of_two(44, 3, |n, place| match place {
                0 => 1.0 / n.min(22.0) + 0.004,
                1 => 1.0 / n.min(40.0) + 0.008,
                _ => 1.0 / n.min(30.0) + 0.002 * n / 22.0,
            })
        },
        edges: &[],
    },
    Grid {
        name: "ranks 1 to 200 in two memories, one of them small",
        points: || two(200, 2),
        times: || {
            of_two(200, 2, |n, memory| match memory {
                0 => 1.0 / n.min(40.0),
                _ if n <= 64.0 => 1.0 / n,
                _ => 2.5 / n.min(80.0),
            })
        },
        edges: &[],
    },
    Grid {
        name: "copies by threads by strategy",
        points: || three(4, 8, 3),
        times: || {
            of_three(4, 8, 3, |copies, threads, place| {
                let (copies, threads) = (2_f64.powi(copies as i32), 1.0 + threads as f64);
                let busy = (copies * threads).min(16.0);
                (1.0 / busy) * if copies * threads > 16.0 { 1.15 } else { 1.0 } * [1.0, 1.12, 1.05][place]
            })
        },
        edges: &[],
    },
    Grid {
        name: "block sizes with a ridge",
        points: || square(10),
        times: || of_square(10, |x, y| 1.0 + 0.03 * (x + y - 11.0).powi(2) + 0.02 * (x - 7.0).powi(2)),
        edges: &[],
    },
    Grid {
        name: "schedule by chunk",
        points: || two(12, 3),
        times: || {
            of_two(12, 3, |chunk, schedule| {
                let size = 2_f64.powf(chunk - 1.0);
                match schedule {
                    0 => 1.25 + 0.0005 * size,
                    1 => 1.0 + 0.4 / size + 0.0008 * size,
                    _ => 1.03 + 0.1 / size + 0.0004 * size,
                }
            })
        },
        edges: &[],
    },
    Grid {
        name: "flags, libraries, page sizes",
        points: || three(4, 3, 4),
        times: || {
            of_three(4, 3, 4, |flag, library, page| {
                [1.3, 1.1, 1.0, 1.04][flag] * [1.0, 0.92, 1.05][library] * [1.0, 0.9, 0.97, 1.1][page]
            })
        },
        edges: &[],
    },
    Grid {
        name: "only together",
        points: || three(4, 4, 4),
        times: || {
            of_three(4, 4, 4, |a, b, c| {
                1.0 - 0.04 * a as f64 + 0.02 * b as f64
                    - if a == 3 && b >= 2 { 0.12 } else { 0.0 }
                    - if c == 1 { 0.05 } else { 0.0 }
            })
        },
        edges: &[],
    },
    Grid {
        name: "pinning by threads by page size",
        points: || three(8, 2, 3),
        times: || {
            of_three(8, 2, 3, |threads, pin, page| {
                let n = 2_f64.powi(threads as i32);
                (0.02 + 1.0 / n.min(64.0)) * [1.0, 1.07][pin] * [1.0, 0.94, 0.96][page]
            })
        },
        edges: &[],
    },
    Grid { name: "all alike", points: || two(24, 2), times: || of_two(24, 2, |_, _| 1.0), edges: &[] },
];

fn scaled(n: usize) -> Coordinate {
    Coordinate::Number((n as f64).log2())
}

fn numbers(count: usize) -> Vec<Vec<Coordinate>> {
    (1..=count).map(|n| vec![scaled(n)]).collect()
}

fn of(count: usize, time: fn(f64) -> f64) -> Vec<f64> {
    (1..=count).map(|n| time(n as f64)).collect()
}

fn two(count: usize, categories: usize) -> Vec<Vec<Coordinate>> {
    (1..=count).flat_map(|n| (0..categories).map(move |k| vec![scaled(n), Coordinate::Category(k)])).collect()
}

fn of_two(count: usize, categories: usize, time: fn(f64, usize) -> f64) -> Vec<f64> {
    (1..=count).flat_map(|n| (0..categories).map(move |k| time(n as f64, k))).collect()
}

fn three(a: usize, b: usize, c: usize) -> Vec<Vec<Coordinate>> {
    let all = (0..a).flat_map(|i| (0..b).flat_map(move |j| (0..c).map(move |k| [i, j, k])));
    all.map(|levels| levels.map(Coordinate::Category).to_vec()).collect()
}

fn of_three(a: usize, b: usize, c: usize, time: fn(usize, usize, usize) -> f64) -> Vec<f64> {
    let all = (0..a).flat_map(|i| (0..b).flat_map(move |j| (0..c).map(move |k| [i, j, k])));
    all.map(|[i, j, k]| time(i, j, k)).collect()
}

fn square(side: usize) -> Vec<Vec<Coordinate>> {
    let all = (1..=side).flat_map(|x| (1..=side).map(move |y| [x, y]));
    all.map(|levels| levels.map(|level| Coordinate::Number(level as f64)).to_vec()).collect()
}

fn of_square(side: usize, time: fn(f64, f64) -> f64) -> Vec<f64> {
    (1..=side).flat_map(|x| (1..=side).map(move |y| time(x as f64, y as f64))).collect()
}

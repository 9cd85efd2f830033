//! The loops in plain Rust, for CPUs that we have no vectors for.

use numawise_facts::Mix;

use super::check::{STEP, STORED};
use super::{Line, Run, Streams};

pub(super) fn of(mix: Mix) -> Run {
    match mix {
        Mix::Read => read,
        Mix::Read3Write1 => read3_write1,
        Mix::Read2Write1 => read2_write1,
        Mix::Read1Write1 => read1_write1,
        Mix::Triad => triad,
        Mix::NonTemporalWrite => write,
    }
}

/// Sums kept apart, one for each word of a line, so that no addition waits for the one before.
type Sums = [u64; 8];

fn add(sums: &mut Sums, line: Line) {
    for (sum, word) in sums.iter_mut().zip(line.0) {
        *sum = sum.wrapping_add(word);
    }
}

fn total(sums: Sums) -> u64 {
    sums.into_iter().fold(0, u64::wrapping_add)
}

#[inline(never)]
unsafe fn read([a, ..]: Streams, lines: usize) -> u64 {
    let mut sums = Sums::default();
    for at in 0..lines {
        // SAFETY: the caller promises that many lines.
        add(&mut sums, unsafe { a.add(at).read() });
    }
    total(sums)
}

#[inline(never)]
unsafe fn read1_write1([a, ..]: Streams, lines: usize) -> u64 {
    let mut sums = Sums::default();
    for at in 0..lines {
        // SAFETY: the caller promises that many lines, for us alone.
        add(&mut sums, unsafe { step(a.add(at)) });
    }
    total(sums)
}

#[inline(never)]
unsafe fn read2_write1([a, b, _]: Streams, lines: usize) -> u64 {
    let mut sums = Sums::default();
    for at in 0..lines {
        // SAFETY: the caller promises that many lines of both, for us alone.
        unsafe {
            add(&mut sums, step(a.add(at)));
            add(&mut sums, b.add(at).read());
        }
    }
    total(sums)
}

#[inline(never)]
unsafe fn read3_write1([a, b, c]: Streams, lines: usize) -> u64 {
    let mut sums = Sums::default();
    for at in 0..lines {
        // SAFETY: the caller promises that many lines of all three, for us alone.
        unsafe {
            add(&mut sums, step(a.add(at)));
            add(&mut sums, b.add(at).read());
            add(&mut sums, c.add(at).read());
        }
    }
    total(sums)
}

#[inline(never)]
unsafe fn triad([a, b, c]: Streams, lines: usize) -> u64 {
    let mut sums = Sums::default();
    for at in 0..lines {
        // SAFETY: the caller promises that many lines of all three, for us alone.
        unsafe {
            let (b, c) = (b.add(at).read(), c.add(at).read());
            let computed =
                Line(std::array::from_fn(|word| b.0[word].wrapping_add(c.0[word].wrapping_mul(2))));
            a.add(at).write(computed);
            add(&mut sums, computed);
        }
    }
    total(sums)
}

#[inline(never)]
unsafe fn write([a, ..]: Streams, lines: usize) -> u64 {
    for at in 0..lines {
        // SAFETY: the caller promises that many lines, for us alone.
        unsafe { a.add(at).write(Line([STORED; 8])) };
    }
    0
}

/// Reads a line, writes it back one step on, and gives what was read.
///
/// # Safety
/// The line is there, for us alone.
#[inline(always)]
unsafe fn step(line: *mut Line) -> Line {
    // SAFETY: the caller's promise.
    unsafe {
        let read = line.read();
        line.write(Line(read.0.map(|word| word.wrapping_add(STEP))));
        read
    }
}

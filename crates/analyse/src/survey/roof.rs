//! What bounds a loop: the roofline (Williams, Waterman, Patterson: Roofline, 2009), its ceilings as the machine was measured.
//!
//! Ceilings are counted in passes of the loop, of one thread: loops without arithmetic have them too.

use numawise_facts::Reading;
use numawise_facts::objects::{ArithmeticCeiling, CacheCeiling, Ceilings, LoopWork, MachineLoop, PassCount};
use numawise_tables::survey::{Ceiling, LoopCeiling, LoopRoof, LoopStream};
use numawise_units::{Arrange, BytesPerSecond, Ratio};

#[cfg(test)]
#[path = "roof_tests.rs"]
mod tests;

/// Ceilings are measured: nothing is so many times as fast.
const SURELY: f64 = 1.5;

/// Of a loop in which so many threads were seen.
pub fn roof(
    of: &MachineLoop,
    streams: &[LoopStream],
    threads: u32,
    ceilings: &Reading<Ceilings>,
) -> Reading<LoopRoof> {
    let mean = of.passing.pass.as_ref().and_then(|pass| pass.mean.as_ref());
    ceilings.as_ref().zip(mean).and_then(|(ceilings, mean)| under(of, streams, threads, (ceilings, mean)))
}

fn under(
    of: &MachineLoop,
    streams: &[LoopStream],
    threads: u32,
    (ceilings, mean): (&Ceilings, &PassCount),
) -> Reading<LoopRoof> {
    let moved = moved(streams);
    let mut found: Vec<LoopCeiling> = Vec::new();
    let mut add = |of: Ceiling, passes: Option<f64>| {
        found.extend(passes.filter(|passes| passes.is_finite()).map(|passes| LoopCeiling { of, passes }));
    };
    add(Ceiling::Arithmetic, arithmetic(ceilings, &of.work, mean));
    let all = mean.moved() + mean.stack_loaded + mean.stack_stored + mean.fixed;
    let nearest = ceilings.caches.first();
    add(Ceiling::NearestCache, nearest.and_then(|cache| Some(cache.read.measured()?.0 / all)));
    if let (Some((level, rate)), Some(moved)) = (level(ceilings, streams, threads), moved.measured()) {
        add(level, Some(rate.0 / moved));
    }
    found.arrange_by(|one, other| one.passes.total_cmp(&other.passes));
    let Some(lowest) = found.first().copied() else {
        return Reading::unavailable("it neither computes with floating-point numbers nor goes over memory");
    };
    // It may have begun anew between two samples, unless that would be faster than the machine is.
    let passes = of.passing.speed.as_ref().and_then(|speed| {
        if speed.passes + speed.again > SURELY * lowest.passes {
            Reading::Measured(speed.passes)
        } else {
            Reading::unavailable("it may begin anew between two samples: it is too short for them")
        }
    });
    Reading::Measured(LoopRoof {
        per_byte: if mean.moved() > 0.0 {
            Reading::Measured(mean.operations() / mean.moved())
        } else {
            Reading::unavailable("it goes over no memory")
        },
        moved,
        reached: passes.as_ref().map(|passes| Ratio(passes / lowest.passes)),
        passes,
        ceilings: found,
    })
}

/// Whole lines; those that are written are read before.
fn moved(streams: &[LoopStream]) -> Reading<f64> {
    let mut sum = 0.0;
    for of in streams {
        let (Some(fresh), Some(share)) = (of.fresh.measured(), of.of_lines.measured()) else {
            return Reading::unavailable("not all of its accesses move on by the same in each pass");
        };
        sum += *fresh as f64 / share.0 * if of.writes { 2.0 } else { 1.0 };
    }
    if streams.is_empty() { Reading::unavailable("it goes over no memory") } else { Reading::Measured(sum) }
}

/// Where what it goes over lies, beyond the nearest cache, and how fast it comes from there to one of so many threads.
fn level(ceilings: &Ceilings, streams: &[LoopStream], threads: u32) -> Option<(Ceiling, BytesPerSecond)> {
    let spans = streams.iter().map(|of| Some(of.span.measured()?.0 as f64));
    let span: f64 = spans.sum::<Option<f64>>()?;
    let threads = f64::from(threads.max(1));
    let holds =
        |cache: &&CacheCeiling| span / threads * threads.min(f64::from(cache.cores)) <= cache.size.0 as f64;
    if let Some(cache) = ceilings.caches.iter().find(holds) {
        let is_nearest = ceilings.caches.first().is_some_and(|first| first.level == cache.level);
        let rate = cache.read.measured().filter(|_| !is_nearest)?;
        return Some((Ceiling::Cache(cache.level), *rate));
    }
    let of_core = ceilings.core_memory.measured().map(|rate| rate.0);
    let share = ceilings.machine_memory.measured().map(|rate| rate.0 / threads);
    let rate = of_core.into_iter().chain(share).min_by(f64::total_cmp)?;
    Some((Ceiling::Memory, BytesPerSecond(rate)))
}

/// Passes in a second, with instructions of the same width.
fn arithmetic(ceilings: &Ceilings, work: &LoopWork, mean: &PassCount) -> Option<f64> {
    let is_fused = work.floating > work.scalar_elements + work.packed_elements;
    let rate = |element: u32| {
        let bits = if work.packed_elements > 0 { work.vector_bits } else { element };
        let of = |peak: &&ArithmeticCeiling| {
            (peak.kind.bits, peak.kind.element_bits, peak.kind.is_fused) == (bits, element, is_fused)
        };
        Some(ceilings.arithmetic.iter().find(of)?.rate)
    };
    let seconds = |operations: f64, element: u32| match operations {
        0.0 => Some(0.0),
        operations => Some(operations / rate(element)?),
    };
    let seconds = seconds(mean.double, 64)? + seconds(mean.single, 32)?;
    (seconds > 0.0).then(|| 1.0 / seconds)
}

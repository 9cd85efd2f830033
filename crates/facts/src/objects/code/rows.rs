//! How what is known of passes stands in a record: numbers and names, one after the other, each as a reading. Rows of a later version that are longer are
//! read as far as they are known; what is missing says so.

use numawise_units::{Bytes, BytesPerSecond, NodeId};
use serde::{Deserialize, Serialize};

use super::{
    ArithmeticCeiling, CacheCeiling, Ceilings, LoopAccess, LoopPass, LoopPassing, LoopSpeed, LoopTrips,
    OLDER, PassCount,
};
use crate::{PeakKind, Reading};

#[cfg(test)]
#[path = "rows_tests.rs"]
mod tests;

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Rows {
    numbers: Vec<Reading<f64>>,
    #[serde(default)]
    names: Vec<Reading<String>>,
}

impl Rows {
    fn number(&mut self, number: f64) {
        self.numbers.push(Reading::Measured(number));
    }

    /// A value of several numbers: 1 stands before them, or the reason why there are none.
    fn value<const N: usize>(&mut self, of: Reading<[f64; N]>) {
        self.numbers.push(of.as_ref().map(|_| 1.0));
        of.measured().into_iter().flatten().for_each(|number| self.number(*number));
    }
}

/// What comes next.
struct Next {
    numbers: std::vec::IntoIter<Reading<f64>>,
    names: std::vec::IntoIter<Reading<String>>,
}

impl Next {
    fn of(rows: Rows) -> Next {
        Next { numbers: rows.numbers.into_iter(), names: rows.names.into_iter() }
    }

    fn reading(&mut self) -> Reading<f64> {
        self.numbers.next().unwrap_or_else(|| Reading::unavailable(OLDER))
    }

    fn numbers<const N: usize>(&mut self) -> Reading<[f64; N]> {
        let mut all = [0.0; N];
        for place in &mut all {
            match self.reading() {
                Reading::Measured(number) => *place = number,
                Reading::Unavailable { unavailable } => return Reading::Unavailable { unavailable },
            }
        }
        Reading::Measured(all)
    }

    fn value<const N: usize>(&mut self) -> Reading<[f64; N]> {
        self.reading().and_then(|_| self.numbers())
    }

    /// How many follow.
    fn count(&mut self) -> usize {
        // No more than there are numbers.
        self.reading().measured().map_or(0, |count| *count as usize).min(self.numbers.len())
    }
}

fn numbers(of: &PassCount) -> [f64; 9] {
    let PassCount { loaded, stored, stack_loaded, stack_stored, fixed, double, single, half, instructions } =
        *of;
    [loaded, stored, stack_loaded, stack_stored, fixed, double, single, half, instructions]
}

fn pass_count(of: [f64; 9]) -> PassCount {
    let [loaded, stored, stack_loaded, stack_stored, fixed, double, single, half, instructions] = of;
    PassCount { loaded, stored, stack_loaded, stack_stored, fixed, double, single, half, instructions }
}

impl From<LoopPassing> for Rows {
    fn from(of: LoopPassing) -> Rows {
        let mut rows = Rows::default();
        rows.value(of.pass.as_ref().map(|pass| numbers(&pass.least)));
        if let Reading::Measured(pass) = &of.pass {
            rows.value(Reading::Measured(numbers(&pass.most)));
            rows.value(pass.mean.as_ref().map(numbers));
        }
        rows.value(of.trips.as_ref().map(|of| {
            [of.mean, of.low, of.high, of.deviation, of.least as f64, of.most as f64, of.samples as f64]
        }));
        rows.value(of.speed.as_ref().map(|of| [of.passes, of.low, of.high, of.again, of.pairs as f64]));
        rows.number(of.accesses.len() as f64);
        for of in of.accesses {
            let (reads, writes) = (f64::from(u8::from(of.reads)), f64::from(u8::from(of.writes)));
            let of_stack = f64::from(u8::from(of.is_of_stack));
            let (bytes, elements, stream) = (of.bytes.into(), of.elements.into(), of.stream.into());
            let fixed =
                [of.address as f64, reads, writes, bytes, elements, stream, of.offset as f64, of_stack];
            rows.value(Reading::Measured(fixed));
            rows.value(of.stride.map(|stride| [stride as f64]));
            rows.value(of.seen.map(|(low, high)| [low as f64, high as f64]));
            rows.number(of.nodes.len() as f64);
            of.nodes.iter().for_each(|node| rows.number(node.0.into()));
            rows.names.push(of.variable);
        }
        rows
    }
}

impl From<Rows> for LoopPassing {
    fn from(rows: Rows) -> LoopPassing {
        let mut next = Next::of(rows);
        let least = next.value::<9>();
        let pass = least.and_then(|least| {
            let most = next.value::<9>();
            let mean = next.value::<9>().map(pass_count);
            most.map(|most| LoopPass { mean, least: pass_count(least), most: pass_count(most) })
        });
        let trips = next.value().map(|[mean, low, high, deviation, least, most, samples]| {
            let (least, most, samples) = (least as u64, most as u64, samples as u64);
            LoopTrips { mean, low, high, deviation, least, most, samples }
        });
        let speed = next.value().map(|[passes, low, high, again, pairs]| LoopSpeed {
            passes,
            low,
            high,
            again,
            pairs: pairs as u64,
        });
        let accesses = (0..next.count()).filter_map(|_| access(&mut next)).collect();
        LoopPassing { pass, trips, speed, accesses }
    }
}

fn access(next: &mut Next) -> Option<LoopAccess> {
    let fixed = next.value::<8>();
    let [address, reads, writes, bytes, elements, stream, offset, is_of_stack] = *fixed.measured()?;
    let stride = next.value().map(|[stride]| stride as i64);
    let seen = next.value().map(|[low, high]| (low as u64, high as u64));
    let nodes = (0..next.count()).filter_map(|_| next.reading().measured().map(|node| NodeId(*node as u32)));
    let nodes = nodes.collect();
    Some(LoopAccess {
        address: address as u64,
        reads: reads > 0.0,
        writes: writes > 0.0,
        bytes: bytes as u32,
        elements: elements as u32,
        stride,
        stream: stream as u32,
        offset: offset as u64,
        is_of_stack: is_of_stack > 0.0,
        seen,
        variable: next.names.next().unwrap_or_else(|| Reading::unavailable(OLDER)),
        nodes,
    })
}

impl From<Ceilings> for Rows {
    fn from(of: Ceilings) -> Rows {
        let mut rows = Rows::default();
        rows.value(of.core_memory.map(|rate| [rate.0]));
        rows.value(of.machine_memory.map(|rate| [rate.0]));
        rows.number(of.arithmetic.len() as f64);
        for ArithmeticCeiling { kind, rate } in of.arithmetic {
            let fused = f64::from(u8::from(kind.is_fused));
            rows.value(Reading::Measured([kind.bits.into(), kind.element_bits.into(), fused, rate]));
        }
        rows.number(of.caches.len() as f64);
        for cache in of.caches {
            rows.value(Reading::Measured([cache.level.into(), cache.size.0 as f64, cache.cores.into()]));
            rows.value(cache.read.map(|rate| [rate.0]));
        }
        rows
    }
}

impl From<Rows> for Ceilings {
    fn from(rows: Rows) -> Ceilings {
        let mut next = Next::of(rows);
        let [core_memory, machine_memory] = [(); 2].map(|()| next.value().map(|[rate]| BytesPerSecond(rate)));
        let arithmetic = (0..next.count()).filter_map(|_| {
            let [bits, element_bits, fused, rate] = *next.value().measured()?;
            let kind =
                PeakKind { bits: bits as u32, element_bits: element_bits as u32, is_fused: fused > 0.0 };
            Some(ArithmeticCeiling { kind, rate })
        });
        let arithmetic = arithmetic.collect();
        let caches = (0..next.count()).filter_map(|_| {
            let [level, size, cores] = *next.value().measured()?;
            let read = next.value().map(|[rate]| BytesPerSecond(rate));
            Some(CacheCeiling { level: level as u32, size: Bytes(size as u64), cores: cores as u32, read })
        });
        let caches = caches.collect();
        Ceilings { arithmetic, caches, core_memory, machine_memory }
    }
}

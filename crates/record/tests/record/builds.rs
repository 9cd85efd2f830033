//! What compilers said of a survey's loops, and options that were tried.

use numawise_facts::objects::{
    BuildFlags, CompiledUnit, CompilerFamily, CompilerRecords, LoopObstacle, LoopRemark, ObstacleCause,
    OutputChange, TriedFlags,
};
use numawise_facts::{Effect, Reading};
use numawise_units::{Nanoseconds, Ratio};

/// What gcc said of one of the loops.
pub fn compiled() -> CompilerRecords {
    let why = LoopObstacle {
        cause: ObstacleCause::Call,
        line: Some(13),
        about: Some("sin".to_owned()),
        text: "relevant stmt not supported".to_owned(),
    };
    let (file, obstacle) = ("/src/wave.c".to_owned(), Some(why));
    CompilerRecords {
        command: "make".to_owned(),
        wall: Nanoseconds(3_000_000_000),
        compiled: 2,
        units: vec![CompiledUnit {
            source: Some(file.clone()),
            compiler: CompilerFamily::Gcc,
            flags: vec!["-O3".to_owned()],
            tried: true,
        }],
        remarks: vec![LoopRemark { unit: 0, file, line: 12, obstacle }],
        written: vec!["/home/me/wave".to_owned()],
    }
}

pub fn tried() -> TriedFlags {
    let (before, after) = ("1.5".to_owned(), "1.6".to_owned());
    TriedFlags {
        flags: vec![BuildFlags::Level, BuildFlags::AnyOrder],
        build: Nanoseconds(700_000_000),
        effect: Reading::Measured(Effect::new(1.5, 1.4, 1.6)),
        output: Reading::Measured(OutputChange::Numbers { largest: Ratio(0.0625), before, after }),
    }
}

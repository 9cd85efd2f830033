//! Options of compilers that were tried against how a program was built, and what they brought.

use numawise_units::{Nanoseconds, Ratio};
use serde::{Deserialize, Serialize};

use crate::{Effect, Reading};

/// Options of gcc, gfortran and clang that go together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BuildFlags {
    /// The level that vectorizes all that can be.
    Level,
    /// Instructions of the CPU here.
    Native,
    /// All bits of its vectors.
    Width,
    /// Minima and maxima as if there were neither NaN nor infinity.
    FiniteValues,
    /// Sums in any order.
    AnyOrder,
    /// All that is forbidden by the rules for floating-point numbers, and with it vector versions of functions of mathematics.
    FastMath,
}

impl BuildFlags {
    pub const fn words(self) -> &'static str {
        match self {
            BuildFlags::Level => "-O3",
            BuildFlags::Native => "-march=native",
            BuildFlags::Width => "-mprefer-vector-width=512",
            BuildFlags::FiniteValues => "-ffinite-math-only -fno-signed-zeros",
            BuildFlags::AnyOrder => "-fassociative-math -fno-signed-zeros -fno-trapping-math",
            BuildFlags::FastMath => "-ffast-math",
        }
    }

    /// All of them as they are typed.
    pub fn line(all: &[BuildFlags]) -> String {
        all.iter().map(|flags| flags.words()).collect::<Vec<_>>().join(" ")
    }
}

/// Options with which a program was built anew, and how it ran in turn with the program as it was built.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TriedFlags {
    pub flags: Vec<BuildFlags>,
    /// What the build took.
    pub build: Nanoseconds,
    /// How many times as fast the program is; unavailable where the build or the runs failed.
    pub effect: Reading<Effect>,
    /// What became of what it prints.
    pub output: Reading<OutputChange>,
}

/// What a program prints, beside what it printed before. Lines that change from run to run are left out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OutputChange {
    Same {
        /// Lines that are alike in all runs.
        lines: u32,
        of: u32,
    },
    /// Other numbers in lines that are otherwise the same.
    Numbers {
        /// The largest difference, of the larger of both numbers.
        largest: Ratio,
        before: String,
        after: String,
    },
    /// Other words, or more or fewer lines.
    Text { before: String, after: String },
}

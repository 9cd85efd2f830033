//! What must come of a kernel: streams start with known words, and every pass leaves known ones behind.

use numawise_facts::{MemoryLoop, Mix};

use super::{Kernel, Line, Streams};

/// Words of a line.
const WORDS: u64 = 8;
/// What a read-modify-write adds to each word in each pass.
pub(super) const STEP: u64 = 1;
/// What a pure store leaves in each word. Its bytes differ, so that no compiler makes a `memset` of it.
pub(super) const STORED: u64 = 0x0102_0304_0506_0708;

/// A word of a stream that is not what a kernel must have left there.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "kernel {mix} ({which}): word {word} of line {line} of stream {stream} is {found:#x} after {passes} passes, expected \
     {expected:#x}"
)]
pub struct WrongWord {
    pub mix: Mix,
    pub which: MemoryLoop,
    pub stream: usize,
    pub line: u64,
    pub word: usize,
    pub passes: u64,
    pub found: u64,
    pub expected: u64,
}

/// Gives a stream its first words: 1, 2, 3 and so on, so that every word counts and none counts like another.
pub fn fill(stream: &mut [Line]) {
    for (index, line) in (0u64..).zip(stream) {
        *line = Line(std::array::from_fn(|word| first(index, word)));
    }
}

fn first(line: u64, word: usize) -> u64 {
    WORDS * line + word as u64 + 1
}

/// 1 + 2 + .. up to the words of so many lines.
fn sum_of_firsts(lines: u64) -> u64 {
    let words = WORDS * lines;
    // One of the two factors is even, and `words` always is.
    (words / 2).wrapping_mul(words + 1)
}

impl Kernel {
    /// What [`Kernel::run`] returns over `lines` lines of streams that were [`fill`]ed, in its `pass`th pass (0 is the first).
    /// Where a pass is made of several calls, each over a part of the lines, it is their wrapping sum.
    pub fn expected(&self, lines: usize, pass: u64) -> u64 {
        let lines = lines as u64;
        let once = sum_of_firsts(lines);
        let stepped = once.wrapping_add(pass.wrapping_mul(STEP).wrapping_mul(WORDS * lines));
        match self.mix {
            Mix::Read => once,
            Mix::Read1Write1 => stepped,
            Mix::Read2Write1 => once.wrapping_add(stepped),
            Mix::Read3Write1 => once.wrapping_mul(2).wrapping_add(stepped),
            Mix::Triad => once.wrapping_mul(3),
            Mix::NonTemporalWrite => 0,
        }
    }

    /// Whether streams that were [`fill`]ed hold what `passes` passes must have left in them; where not, what is wrong.
    ///
    /// # Safety
    /// As for [`Kernel::run`].
    pub unsafe fn verify(&self, streams: Streams, lines: usize, passes: u64) -> Result<(), WrongWord> {
        for (stream, &start) in streams[..self.streams()].iter().enumerate() {
            // SAFETY: the caller promises `lines` lines that nobody writes meanwhile.
            let held = unsafe { std::slice::from_raw_parts(start, lines) };
            for (line, words) in (0u64..).zip(held) {
                for (word, &found) in words.0.iter().enumerate() {
                    let expected = self.left(stream, first(line, word), passes);
                    if found != expected {
                        let (mix, which) = (self.mix, self.which);
                        return Err(WrongWord { mix, which, stream, line, word, passes, found, expected });
                    }
                }
            }
        }
        Ok(())
    }

    /// What a word that was `first` is after so many passes.
    fn left(&self, stream: usize, first: u64, passes: u64) -> u64 {
        match self.mix {
            _ if stream > 0 || passes == 0 => first,
            Mix::Read => first,
            Mix::Read1Write1 | Mix::Read2Write1 | Mix::Read3Write1 => {
                first.wrapping_add(passes.wrapping_mul(STEP))
            }
            // The two streams read were filled alike.
            Mix::Triad => first.wrapping_mul(3),
            Mix::NonTemporalWrite => STORED,
        }
    }
}

//! Counters of the processor: which ones a process is to open, from numawise in the environment, and the open ones, from the process
//! through a socket. The process keeps none of them, so that it has the descriptors that it has without us, and what they counted is
//! still there when it was killed.

use core::fmt;

use crate::Variable;

#[cfg(test)]
#[path = "counters_tests.rs"]
mod tests;

/// What to open, as [`CounterRequest`] prints it; without it nothing is opened.
pub const COUNTERS: Variable = Variable(c"NUMAWISE_SNAPSHOT_COUNTERS");

/// More are not opened.
pub const MOST_COUNTERS: usize = 32;

/// The longest path of a socket that the kernel takes (`sun_path`), without the zero at its end.
pub const MOST_SOCKET_PATH: usize = 107;

/// One counter in the kernel's terms.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CounterCode {
    /// The kind of event, or the number of its source.
    pub kind: u32,
    pub config: u64,
}

/// What is to be opened, with which flags, and where it is to be handed over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CounterRequest<'a> {
    pub flags: u64,
    pub codes: &'a [CounterCode],
    /// The path of a socket.
    pub socket: &'a str,
}

impl fmt::Display for CounterRequest<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "1;{:x};", self.flags)?;
        for (k, code) in self.codes.iter().enumerate() {
            let comma = if k == 0 { "" } else { "," };
            write!(f, "{comma}{:x}:{:x}", code.kind, code.config)?;
        }
        write!(f, ";{}", self.socket)
    }
}

/// The same in the process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DecodedRequest<'a> {
    pub flags: u64,
    codes: [CounterCode; MOST_COUNTERS],
    count: usize,
    pub socket: &'a [u8],
}

impl<'a> DecodedRequest<'a> {
    /// `None` for what is no request of this version.
    pub fn of(text: &'a [u8]) -> Option<DecodedRequest<'a>> {
        let mut parts = text.splitn(4, |byte| *byte == b';');
        if parts.next()? != b"1" {
            return None;
        }
        let flags = number(parts.next()?)?;
        let mut codes = [CounterCode::default(); MOST_COUNTERS];
        let mut count = 0;
        for code in parts.next()?.split(|byte| *byte == b',') {
            let mut numbers = code.splitn(2, |byte| *byte == b':');
            let kind = u32::try_from(number(numbers.next()?)?).ok()?;
            let config = number(numbers.next()?)?;
            *codes.get_mut(count)? = CounterCode { kind, config };
            count += 1;
        }
        let socket = parts.next()?;
        let fits = socket.starts_with(b"/") && socket.len() <= MOST_SOCKET_PATH;
        fits.then_some(DecodedRequest { flags, codes, count, socket })
    }

    pub fn codes(&self) -> &[CounterCode] {
        self.codes.get(..self.count).unwrap_or_default()
    }
}

fn number(text: &[u8]) -> Option<u64> {
    if text.is_empty() || text.len() > 16 {
        return None;
    }
    text.iter().try_fold(0u64, |number, byte| {
        let digit = char::from(*byte).to_digit(16)?;
        Some(number << 4 | u64::from(digit))
    })
}

/// What goes with the descriptors of the counters that could be opened, which come in the order of the request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HandedCounters {
    pub process: u32,
    /// How many threads the process had: all but the first are not counted.
    pub threads: u32,
    /// When it began to be watched, by the realtime clock: what its file says too.
    pub began: u64,
    /// Counters that were asked for.
    pub count: u32,
    /// The error number of each, 0 for those that are open.
    pub errors: [i32; MOST_COUNTERS],
}

/// The words of the message.
const WORDS: usize = 6 + MOST_COUNTERS;
const MAGIC: u32 = u32::from_le_bytes(*b"NWct");

impl HandedCounters {
    /// Length of the message.
    pub const BYTES: usize = 4 * WORDS;

    pub fn encode(&self) -> [u8; Self::BYTES] {
        let mut words = [0u32; WORDS];
        let head =
            [MAGIC, self.process, self.threads, (self.began >> 32) as u32, self.began as u32, self.count];
        let errors = self.errors.iter().map(|error| error.cast_unsigned());
        words.iter_mut().zip(head.into_iter().chain(errors)).for_each(|(word, value)| *word = value);
        let mut bytes = [0; Self::BYTES];
        bytes
            .iter_mut()
            .zip(words.into_iter().flat_map(u32::to_le_bytes))
            .for_each(|(place, byte)| *place = byte);
        bytes
    }

    /// `None` for what is no such message.
    pub fn decode(bytes: &[u8]) -> Option<HandedCounters> {
        if bytes.len() != Self::BYTES {
            return None;
        }
        let mut words = bytes.chunks_exact(4).map(|word| word.try_into().map_or(0, u32::from_le_bytes));
        let mut next = || words.next();
        if next()? != MAGIC {
            return None;
        }
        let (process, threads) = (next()?, next()?);
        let began = u64::from(next()?) << 32 | u64::from(next()?);
        let count = next()?;
        let mut errors = [0; MOST_COUNTERS];
        errors.iter_mut().zip(words).for_each(|(error, word)| *error = word.cast_signed());
        let holds = count as usize <= MOST_COUNTERS;
        holds.then_some(HandedCounters { process, threads, began, count, errors })
    }
}

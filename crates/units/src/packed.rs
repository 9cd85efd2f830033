//! Whole numbers in as few bytes as they need: 7 bits a byte, the lowest first (LEB128); those with a sign zigzag, so that small ones of both
//! signs stay short.

/// Numbers that are written one after the other.
#[derive(Debug, Clone, Default)]
pub struct Packed(Vec<u8>);

impl Packed {
    pub fn number(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.0.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.0.push(number as u8);
    }

    pub fn signed(&mut self, number: i64) {
        self.number((number << 1 ^ number >> 63).cast_unsigned());
    }

    /// How much `to` is beyond `from`, or before it.
    pub fn difference(&mut self, from: u64, to: u64) {
        self.signed(to.wrapping_sub(from).cast_signed());
    }

    /// In 8 bytes, the lowest first: shorter for what is no small number.
    pub fn long(&mut self, number: u64) {
        self.0.extend(number.to_le_bytes());
    }

    pub fn into_bytes(self) -> Vec<u8> {
        self.0
    }
}

/// Reads what [`Packed`] holds, from bytes of which nothing is trusted: `None` where they end before, or hold more than 64 bits.
#[derive(Debug, Clone, Copy)]
pub struct Unpacked<'a>(&'a [u8]);

impl Unpacked<'_> {
    pub fn of(bytes: &[u8]) -> Unpacked<'_> {
        Unpacked(bytes)
    }

    /// How many bytes are not read.
    pub fn left(&self) -> usize {
        self.0.len()
    }

    /// Whether all is read.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    #[inline(always)]
    pub fn number(&mut self) -> Option<u64> {
        // Nearly all have up to three bytes: 1.4 ns each instead of 2.3 by the loop below, and 4.5 by words of eight bytes, which wait for one another.
        let low = |byte: u8| u64::from(byte & 0x7f);
        let (number, rest) = match self.0 {
            [one, rest @ ..] if *one < 0x80 => (low(*one), rest),
            [one, two, rest @ ..] if *two < 0x80 => (low(*one) | low(*two) << 7, rest),
            [one, two, three, rest @ ..] if *three < 0x80 => {
                (low(*one) | low(*two) << 7 | low(*three) << 14, rest)
            }
            _ => return self.long_number(),
        };
        self.0 = rest;
        Some(number)
    }

    /// One of any length.
    #[cold]
    fn long_number(&mut self) -> Option<u64> {
        let mut number = 0u64;
        for shift in (0..70).step_by(7) {
            let (byte, rest) = self.0.split_first()?;
            self.0 = rest;
            let bits = u64::from(byte & 0x7f);
            if shift == 63 && bits > 1 {
                return None;
            }
            number |= bits << shift;
            if byte & 0x80 == 0 {
                return Some(number);
            }
        }
        None
    }

    #[inline(always)]
    pub fn signed(&mut self) -> Option<i64> {
        let number = self.number()?;
        Some((number >> 1).cast_signed() ^ -((number & 1).cast_signed()))
    }

    /// The number of which the difference from this one was written.
    #[inline(always)]
    pub fn difference(&mut self, from: u64) -> Option<u64> {
        Some(from.wrapping_add_signed(self.signed()?))
    }

    pub fn long(&mut self) -> Option<u64> {
        let (bytes, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(u64::from_le_bytes(*bytes))
    }
}

#[cfg(test)]
#[path = "packed_tests.rs"]
mod tests;

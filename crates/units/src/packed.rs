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

    /// Whether all is read.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    #[inline(always)]
    pub fn number(&mut self) -> Option<u64> {
        // Eight bytes at once: nearly all numbers have fewer, and few have one.
        if let Some(bytes) = self.0.first_chunk() {
            let word = u64::from_le_bytes(*bytes);
            let last = !word & 0x8080_8080_8080_8080;
            if last != 0 {
                let bits = last.trailing_zeros() + 1;
                self.0 = self.0.get(bits as usize / 8..)?;
                let of_8 = word & 0x7f7f_7f7f_7f7f_7f7f & (u64::MAX >> (64 - bits));
                let of_16 = of_8 & 0x007f_007f_007f_007f | (of_8 & 0x7f00_7f00_7f00_7f00) >> 1;
                let of_32 = of_16 & 0x0000_3fff_0000_3fff | (of_16 & 0x3fff_0000_3fff_0000) >> 2;
                return Some(of_32 & 0x0fff_ffff | (of_32 & 0x0fff_ffff_0000_0000) >> 4);
            }
        }
        self.number_by_bytes()
    }

    /// One that is near the end, or has more than eight bytes.
    #[cold]
    fn number_by_bytes(&mut self) -> Option<u64> {
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

    #[inline]
    pub fn signed(&mut self) -> Option<i64> {
        let number = self.number()?;
        Some((number >> 1).cast_signed() ^ -((number & 1).cast_signed()))
    }

    /// The number of which the difference from this one was written.
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

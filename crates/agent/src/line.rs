//! One line for standard error, made without allocating.

use numawise_wire::mask;

use crate::stream;

const CAPACITY: usize = 512;

pub struct Line {
    bytes: [u8; CAPACITY],
    length: usize,
}

impl Line {
    pub fn new() -> Line {
        Line { bytes: [0; CAPACITY], length: 0 }.text(b"numawise: ")
    }

    /// Adds text; what does not fit is left out, but for the end of the line.
    pub fn text(mut self, text: &[u8]) -> Line {
        for (place, byte) in self.bytes.iter_mut().take(CAPACITY - 1).skip(self.length).zip(text) {
            *place = *byte;
            self.length += 1;
        }
        self
    }

    pub fn number(self, number: usize) -> Line {
        let mut digits = [0u8; 20];
        let mut left = number;
        let mut used = 0;
        for place in digits.iter_mut().rev() {
            *place = b'0' + (left % 10) as u8;
            left /= 10;
            used += 1;
            if left == 0 {
                break;
            }
        }
        let start = digits.len() - used;
        self.text(digits.get(start..).unwrap_or_default())
    }

    /// Adds a set of CPUs in the kernel's list format: `0-3,8`.
    pub fn cpus(mut self, set: &[u64]) -> Line {
        for (k, (first, last)) in mask::ranges(set).enumerate() {
            if k > 0 {
                self = self.text(b",");
            }
            self = self.number(first);
            if last > first {
                self = self.text(b"-").number(last);
            }
        }
        self
    }

    fn finished(&mut self) -> &[u8] {
        if let Some(place) = self.bytes.get_mut(self.length) {
            *place = b'\n';
            self.length += 1;
        }
        self.bytes.get(..self.length).unwrap_or_default()
    }

    /// In one piece, so that lines of several threads do not mix.
    pub fn write(mut self) {
        stream::write(self.finished());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(mut line: Line) -> std::string::String {
        std::string::String::from_utf8(line.finished().to_vec()).unwrap()
    }

    #[test]
    fn numbers_and_cpus_are_written_as_the_kernel_does() {
        assert_eq!(
            shown(Line::new().number(0).text(b" ").number(usize::MAX)),
            "numawise: 0 18446744073709551615\n"
        );
        assert_eq!(shown(Line::new().cpus(&[0b1_0000_1111, 1 << 63])), "numawise: 0-3,8,127\n");
        assert_eq!(shown(Line::new().cpus(&[u64::MAX, 1])), "numawise: 0-64\n");
        assert_eq!(shown(Line::new().cpus(&[])), "numawise: \n");
    }

    #[test]
    fn a_line_that_is_too_long_still_ends() {
        let line = shown(Line::new().text(&[b'x'; 1000]));
        assert_eq!(line.len(), CAPACITY);
        assert!(line.ends_with("x\n"));
    }
}

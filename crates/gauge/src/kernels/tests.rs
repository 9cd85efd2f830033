use numawise_facts::Mix;

use super::*;

fn kernels() -> impl Iterator<Item = Kernel> {
    Mix::ALL
        .into_iter()
        .flat_map(|mix| Vectors::available().into_iter().filter_map(move |vectors| Kernel::new(mix, vectors)))
}

const COUNTS: [usize; 11] = [0, 1, 2, 3, 5, 7, 8, 63, 64, 65, 1000];

struct Buffers([Vec<Line>; 3]);

impl Buffers {
    fn filled(lines: usize) -> Buffers {
        let mut all = Buffers(std::array::from_fn(|_| vec![Line([0; 8]); lines]));
        all.0.iter_mut().for_each(|stream| fill(stream));
        all
    }

    fn streams(&mut self) -> Streams {
        self.0.each_mut().map(|stream| stream.as_mut_ptr())
    }
}

#[test]
fn every_mix_has_a_loop_for_every_vectors_available() {
    assert_eq!(kernels().count(), Mix::ALL.len() * Vectors::available().len());
    assert_eq!(Vectors::available().last(), Some(&Vectors::Portable));
    for mix in Mix::ALL {
        assert_eq!(Kernel::best(mix).vectors, Vectors::available()[0]);
    }
}

#[test]
fn sums_and_memory_are_those_expected() {
    for kernel in kernels() {
        for lines in COUNTS {
            let mut buffers = Buffers::filled(lines);
            let streams = buffers.streams();
            for pass in 0..3 {
                // SAFETY: three streams of that many lines, ours alone.
                let sum = unsafe { kernel.run(streams, lines) };
                assert_eq!(sum, kernel.expected(lines, pass), "{kernel:?} {lines} {pass}");
                // SAFETY: the same.
                assert_eq!(unsafe { kernel.verify(streams, lines, pass + 1) }, Ok(()));
            }
        }
    }
}

//! How long it takes to list a function of 64 KiB, and to blame an access in it: `cargo run --release -p numawise-operands --example
//! speed FILE`, where FILE is code, such as a section that `objcopy -O binary` wrote.

use std::time::Instant;

use numawise_operands::{Architecture, Listing, Registers, StackCopy, blame};

/// As long as the functions that this is about, in bytes and in instructions.
const BYTES: usize = 64 << 10;
const INSTRUCTIONS: usize = 4096;

fn main() {
    let path = std::env::args().nth(1).expect("a file of code");
    let architecture = match std::env::args().nth(2).as_deref() {
        Some("aarch64") => Architecture::Aarch64,
        _ => Architecture::X86_64,
    };
    let code = std::fs::read(&path).expect("the file can be read");
    let code = &code[..code.len().min(BYTES)];
    let begin = Instant::now();
    let listing = Listing::of(architecture, 0x40_0000, code);
    println!("{} bytes, {} instructions: {:?}", code.len(), listing.steps().len(), begin.elapsed());
    let mut times: Vec<f64> = Vec::new();
    for step in listing.steps().iter().take(INSTRUCTIONS) {
        let registers = match architecture {
            Architecture::X86_64 => Registers::new(step.ip(), [0x1000; 16]),
            Architecture::Aarch64 => Registers::new(step.ip(), [0x1000; 32]),
        };
        let stack = StackCopy { begin: 0x1000, bytes: &[0; 2048] };
        let once = || {
            let begin = Instant::now();
            std::hint::black_box(blame(&listing, &registers, &stack));
            begin.elapsed().as_secs_f64() * 1e6
        };
        // The least of some, as others use the CPU too.
        times.push((0..5).map(|_| once()).fold(f64::INFINITY, f64::min));
    }
    times.sort_by(f64::total_cmp);
    let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize];
    println!("blame: {:.2} us median, {:.2} us at 99 %, {:.2} us most", at(0.5), at(0.99), at(1.0));
}

//! Samples of loops, as text: what the program printed, then `sample` with the address of the instruction and the general registers.

use std::fmt::Write;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use numawise_linux::calls::sampler::{Sampler, SamplerSettings};
use numawise_linux::samples::Record;
use numawise_units::Nanoseconds;

const COMPILERS: [&str; 2] = ["gcc", "clang"];
const FLAGS: [(&str, &[&str]); 4] = [
    ("O1", &["-O1"]),
    ("O2", &["-O2"]),
    ("O3-avx2", &["-O3", "-mavx2", "-mfma", "-ffast-math"]),
    ("O3-avx512", &["-O3", "-mavx512f", "-mprefer-vector-width=512", "-ffast-math"]),
];
/// Loops, and which of a (1), b (2), c (4) and x (8) are larger than the caches, one case each.
const LOOPS: [(&str, &[u32]); 22] = [
    ("copy", &[0, 1, 2]),
    ("scale", &[0, 1, 2]),
    ("triad", &[0, 1, 2, 4]),
    ("sum", &[0, 2]),
    ("dot", &[0, 2, 4]),
    ("strided", &[0, 2, 4]),
    ("fill", &[0, 1]),
    ("gather", &[0, 1, 2, 8]),
    ("gather_sum", &[0, 2, 4, 8]),
    ("histogram", &[0, 2, 4, 8]),
    ("branches", &[0, 1, 2, 4]),
    ("moved", &[0, 1, 2]),
    ("unrolled", &[0, 2, 4]),
    ("rows", &[0, 2, 4]),
    ("chase", &[0, 2]),
    ("list", &[0, 2]),
    ("records", &[0, 1, 2]),
    ("fields", &[0, 1, 2, 4]),
    ("called", &[0, 1, 2, 4]),
    ("search", &[0, 2]),
    ("spilled", &[0, 1, 2, 4, 8]),
    ("stencil", &[0, 1, 2, 4]),
];

pub fn all(folder: &Path, seconds: &str) {
    std::fs::create_dir_all(folder).expect("a folder for the samples");
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/blame");
    for compiler in COMPILERS {
        for (name, flags) in FLAGS {
            let program = folder.join(format!("driver-{compiler}-{name}"));
            let loops = folder.join("kernels.o");
            let compiled = Command::new(compiler)
                .args(flags)
                .arg("-c")
                .arg(sources.join("kernels.c"))
                .arg("-o")
                .arg(&loops)
                .status();
            let Ok(status) = compiled else {
                eprintln!("skipped: no {compiler}");
                continue;
            };
            assert!(status.success(), "{compiler} {flags:?} refuses the loops");
            let mut link = Command::new(compiler);
            link.arg("-O2").arg(sources.join("driver.c")).arg(&loops).arg("-o").arg(&program);
            let linked = link.status().expect("a compiler");
            assert!(linked.success(), "{compiler} refuses the driver");
            for (of, masks) in LOOPS {
                for mask in masks {
                    let text = one(&program, of, *mask, seconds);
                    let path = folder.join(format!("{of}.{mask}.{compiler}.{name}.txt"));
                    std::fs::write(path, text).expect("the samples can be written");
                }
            }
        }
    }
}

fn one(program: &Path, name: &str, mask: u32, seconds: &str) -> String {
    let settings =
        SamplerSettings { period: Nanoseconds(500_000), faults: &[], stack: 0, begins_with_exec: true };
    let mut sampler = Sampler::open(&settings).expect("perf events of programs are allowed here");
    let mut child = Command::new(program)
        .args([name, &mask.to_string(), seconds])
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program runs");
    let mut samples = Vec::new();
    while !is_over(&mut child) {
        std::thread::sleep(Duration::from_millis(20));
        drain(&mut sampler, &mut samples);
    }
    drain(&mut sampler, &mut samples);
    let output = child.wait_with_output().expect("it ended");
    assert!(output.status.success(), "{name} of {} failed: {}", program.display(), output.status);
    let mut text = String::from_utf8(output.stdout).expect("it prints text");
    samples.sort_unstable();
    for sample in samples {
        text.push_str("sample");
        for word in sample {
            let _ = write!(text, " {word:x}");
        }
        text.push('\n');
    }
    text
}

fn is_over(child: &mut Child) -> bool {
    !matches!(child.try_wait(), Ok(None))
}

fn drain(sampler: &mut Sampler, samples: &mut Vec<Vec<u64>>) {
    sampler.drain(|bytes| {
        if let Some((_, Record::Sample(sample))) = Record::parse(bytes)
            && let Some(registers) = sample.registers
        {
            samples.push([vec![sample.ip], registers.general().to_vec()].concat());
        }
    });
}

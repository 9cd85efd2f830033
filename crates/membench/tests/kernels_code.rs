//! The machine code of each kernel moves what the kernel says that it moves, and nothing else: read from a disassembly of this
//! very test, which holds the kernels as everybody gets them.

#![cfg(target_arch = "x86_64")]

mod disassembly;

use disassembly::{Access, Loop};
use numawise_facts::{LoopPath, MemoryLoop, Mix, Vectors};
use numawise_membench::kernels::{self, Kernel};

const PATHS: [LoopPath; 2] = [LoopPath::Straight, LoopPath::Tuned];

/// Bytes of a register, and what a disassembler calls it.
fn register(vectors: Vectors) -> Option<(u64, &'static str)> {
    match vectors {
        Vectors::Avx512 => Some((64, "zmm")),
        Vectors::Avx2 => Some((32, "ymm")),
        Vectors::Sse2 => Some((16, "xmm")),
        Vectors::Neon | Vectors::Portable => None,
    }
}

fn function(mix: Mix) -> &'static str {
    match mix {
        Mix::Read => "read",
        Mix::Read3Write1 => "read3_write1",
        Mix::Read2Write1 => "read2_write1",
        Mix::Read1Write1 => "read1_write1",
        Mix::Triad => "triad",
        Mix::NonTemporalWrite => "write",
    }
}

/// Whether a loop of these vectors is one for this mix; where not, what is wrong with it.
fn check(found: &Loop, vectors: Vectors, mix: Mix) -> Result<(), String> {
    let (bytes, name) = register(vectors).ok_or("no vectors to look for")?;
    let (read, written) = mix.lines();
    let streamed = matches!(mix, Mix::Triad | Mix::NonTemporalWrite);
    let strange = found.accesses.iter().find(|(kind, text)| {
        let of_lines = *kind == Access::Prefetch || text.contains(name);
        *kind == Access::Other || !of_lines || text.contains("%rsp")
    });
    if let Some((_, strange)) = strange {
        return Err(format!("'{strange}' is no access to a line with {name} registers"));
    }
    let count = |access: Access| found.accesses.iter().filter(|(kind, _)| *kind == access).count() as u64;
    let (loads, stores, streams) = (count(Access::Load), count(Access::Store), count(Access::Stream));
    let (kept, unwanted) = if streamed { (streams, stores) } else { (stores, streams) };
    if unwanted > 0 {
        return Err(format!("{stores} stores through the caches and {streams} past them"));
    }
    // One turn of the loop does whole lines of each stream, one or several.
    let moved = (loads + kept) * bytes;
    if moved == 0 || loads * written != kept * read || !moved.is_multiple_of(64 * (read + written)) {
        return Err(format!(
            "{loads} loads and {kept} stores of {bytes} bytes, where {read}:{written} are claimed"
        ));
    }
    Ok(())
}

#[test]
fn every_loop_moves_what_it_claims_and_nothing_else() {
    let Some(functions) = disassembly::of_this_program() else {
        println!("SKIPPED: no objdump (package binutils) to read the kernels' code with");
        return;
    };
    let mut checked = 0;
    for vectors in kernels::available().into_iter().filter(|vectors| register(*vectors).is_some()) {
        for (path, mix) in PATHS.into_iter().flat_map(|path| Mix::ALL.map(|mix| (path, mix))) {
            assert!(Kernel::new(mix, MemoryLoop { vectors, path }).is_some());
            let name = format!("::{}::{}::{}", vectors.name(), path.name(), function(mix));
            let code = functions.iter().find(|(function, _)| function.ends_with(&name));
            let (_, code) = code.unwrap_or_else(|| panic!("no function '{name}' in the disassembly"));
            let main = disassembly::longest_loop(code).unwrap_or_else(|| panic!("no loop in '{name}'"));
            if let Err(wrong) = check(&main, vectors, mix) {
                panic!("{name}: {wrong}\n{}", main.text);
            }
            checked += 1;
        }
    }
    assert!(checked >= Mix::ALL.len() * PATHS.len(), "SSE2 at least");
}

/// A loop of these instructions, as the disassembler writes them.
fn sample(instructions: &[&str]) -> Loop {
    let mut code: Vec<(u64, String)> =
        (0x1000..).zip(instructions).map(|(at, text)| (at, (*text).to_owned())).collect();
    code.push((0x2000, "jne    1000 <kernel+0x10>".to_owned()));
    disassembly::longest_loop(&code).expect("a loop")
}

#[test]
fn code_that_moves_something_else_is_found() {
    let load = "vpaddq (%rcx,%rax,1),%zmm0,%zmm0";
    let store = "vmovdqa64 %zmm4,(%rcx,%r15,1)";
    let stream = "vmovntdq %zmm4,(%rcx,%r15,1)";
    let fits = |mix, code: &[&str]| check(&sample(code), Vectors::Avx512, mix).is_ok();
    assert!(fits(Mix::Read, &[load, "prefetcht0 0x400(%rcx)", "lea 0x40(%rax),%rax"]));
    assert!(fits(Mix::Read1Write1, &[load, store, load, store]));
    assert!(fits(Mix::Triad, &[load, load, stream]));
    assert!(fits(Mix::NonTemporalWrite, &[stream]));
    let broken: [(Mix, &[&str]); 10] = [
        (Mix::Read, &[load, store]),
        (Mix::Read, &["vpaddq %zmm1,%zmm0,%zmm0"]),
        (Mix::Read, &[load, "mov 0x8(%rsp),%rdx"]),
        (Mix::Read, &[load, "vmovdqa64 0x40(%rsp),%zmm3"]),
        (Mix::Read, &[load, "incq (%rdx)"]),
        (Mix::Read, &[load, "call 2000 <memcpy>"]),
        (Mix::Read, &["vpaddq (%rcx,%rax,1),%ymm0,%ymm0"]),
        (Mix::Read1Write1, &[load, load, store]),
        (Mix::Triad, &[load, load, store]),
        (Mix::NonTemporalWrite, &[store]),
    ];
    for (mix, code) in broken {
        assert!(!fits(mix, code), "{mix}: {code:?}");
    }
    let half = sample(&["vmovdqa (%rcx),%ymm0"]);
    assert!(check(&half, Vectors::Avx2, Mix::Read).is_err(), "half a line");
}

#[test]
fn a_disassembly_becomes_functions_and_loops() {
    let text = "0000000000001000 <a::b::h0123456789abcdef>:\n    1000:\tmov    %rax,%rbx\n    1003:\tret\n\n\
                0000000000001010 <c>:\n    1010:\tmov    (%rax),%rbx\n    1013:\tjmp    1010 <c>\n    1015:\tret\n";
    let found = disassembly::parse(text);
    assert_eq!(found.len(), 2);
    assert_eq!((found[0].0.as_str(), found[0].1.len()), ("a::b", 2));
    assert!(disassembly::longest_loop(&found[0].1).is_none());
    let inner = disassembly::longest_loop(&found[1].1).expect("a loop");
    assert_eq!(inner.accesses, [(Access::Load, "mov    (%rax),%rbx".to_owned())]);
}

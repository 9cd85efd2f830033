//! What objdump says of a program: functions, their loops, and how these reach memory.

use std::process::Command;

/// Addresses and instructions, in order.
pub type Code = Vec<(u64, String)>;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    Load,
    Store,
    /// A store past the caches.
    Stream,
    Prefetch,
    /// Reaches memory in a way that no kernel should.
    Other,
}

pub struct Loop {
    pub accesses: Vec<(Access, String)>,
    pub text: String,
}

/// `None` without objdump.
pub fn of_this_program() -> Option<Vec<(String, Code)>> {
    let program = std::env::current_exe().expect("our own path");
    let output = Command::new("objdump")
        .args(["--disassemble", "--demangle", "--no-show-raw-insn", "--section=.text"])
        .arg(program)
        .output()
        .ok()?;
    assert!(output.status.success(), "objdump: {}", String::from_utf8_lossy(&output.stderr));
    Some(parse(&String::from_utf8_lossy(&output.stdout)))
}

pub fn parse(text: &str) -> Vec<(String, Code)> {
    let mut functions: Vec<(String, Code)> = Vec::new();
    for line in text.lines() {
        if let Some((_, name)) = line.strip_suffix(">:").and_then(|line| line.split_once(" <")) {
            functions.push((without_hash(name).to_owned(), Code::new()));
        } else if let (Some((_, code)), Some((address, instruction))) =
            (functions.last_mut(), line.split_once(":\t"))
            && let Ok(address) = u64::from_str_radix(address.trim(), 16)
        {
            code.push((address, instruction.trim().to_owned()));
        }
    }
    functions
}

/// Some versions leave the `::h0123456789abcdef` of Rust's older names.
fn without_hash(name: &str) -> &str {
    match name.rsplit_once("::h") {
        Some((rest, hash)) if hash.len() == 16 && hash.chars().all(|digit| digit.is_ascii_hexdigit()) => rest,
        _ => name,
    }
}

/// The loop with most accesses to memory among those that hold no other: from where a jump back leads to the jump.
pub fn longest_loop(code: &Code) -> Option<Loop> {
    let loops: Vec<(u64, u64)> =
        code.iter().filter_map(|(at, text)| Some((target(text)?, *at))).filter(|(to, at)| to <= at).collect();
    let holds_none = |&&(start, end): &&(u64, u64)| {
        !loops.iter().any(|&(from, to)| (from, to) != (start, end) && start <= from && to <= end)
    };
    loops
        .iter()
        .filter(holds_none)
        .map(|&(start, end)| between(code, start, end))
        .max_by_key(|found| found.accesses.len())
}

/// Where a jump within the function leads.
fn target(instruction: &str) -> Option<u64> {
    let (name, operand) = instruction.split_once(char::is_whitespace)?;
    let address = operand.trim().split(' ').next()?;
    if name.starts_with('j') { u64::from_str_radix(address, 16).ok() } else { None }
}

fn between(code: &Code, start: u64, end: u64) -> Loop {
    let inside: Vec<&str> =
        code.iter().filter(|(at, _)| (start..=end).contains(at)).map(|(_, text)| text.as_str()).collect();
    let accesses = inside.iter().filter_map(|text| Some((access(text)?, (*text).to_owned()))).collect();
    Loop { accesses, text: inside.join("\n") }
}

/// How an instruction reaches memory (in AT&T's words: the operand in brackets is memory, the last is where the result goes).
fn access(text: &str) -> Option<Access> {
    let (name, operands) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    if name.starts_with("call")
        || name.starts_with("push")
        || name.starts_with("pop")
        || name.starts_with("rep")
    {
        return Some(Access::Other);
    }
    if !operands.contains('(') || name.starts_with("lea") || name.starts_with("nop") {
        return None;
    }
    let stored = operands.trim_end().ends_with(')');
    Some(match name {
        _ if name.starts_with("prefetch") => Access::Prefetch,
        _ if name.contains("movnt") && stored => Access::Stream,
        _ if name.contains("mov") && stored => Access::Store,
        _ if stored => Access::Other,
        _ => Access::Load,
    })
}

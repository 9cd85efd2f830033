//! What records of compilers say of loops, a line each: `remarks gcc RECORD` or `remarks clang LOG CALLS`.

use std::io::Write;

use numawise_symbols::remarks::{clang_calls, clang_remarks, gcc_remarks};

fn main() -> std::io::Result<()> {
    let words: Vec<String> = std::env::args().collect();
    let text = |at: usize| words.get(at).map_or(Ok(String::new()), std::fs::read_to_string);
    let remarks = match words.get(1).map(String::as_str) {
        Some("gcc") => gcc_remarks(&text(2)?, "", 0),
        _ => clang_remarks(&text(2)?, &clang_calls(&text(3)?)).1,
    };
    let mut out = std::io::stdout().lock();
    for of in remarks {
        match of.obstacle {
            None => writeln!(out, "{}:{}\tvectorized", of.file, of.line)?,
            Some(why) => {
                let about = why.about.unwrap_or_default();
                writeln!(out, "{}:{}\t{:?}\t{about}\t{}", of.file, of.line, why.cause, why.text)?;
            }
        }
    }
    Ok(())
}

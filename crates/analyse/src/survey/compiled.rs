//! What compilers said of a loop: their records, joined to it by file and line, also where it was put into another function.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use numawise_facts::objects::{
    CodeSamples, CompiledUnit, CompilerRecords, LoopObstacle, LoopRemark, MachineLoop, ObstacleCause,
};
use numawise_facts::{ObjectRun, Reading};
use numawise_tables::survey::{CompiledLoop, LoopRow};

#[cfg(test)]
#[path = "compiled_tests.rs"]
mod tests;

/// Records by the name of the file, without folders, and the line.
pub struct Compiled<'a> {
    records: &'a CompilerRecords,
    by_line: BTreeMap<(&'a str, u32), Vec<&'a LoopRemark>>,
    /// Lines of which sampled loops without loops inside have instructions; the head of one has some in the loop around it.
    taken: BTreeSet<(&'a str, u32)>,
}

/// Instructions of a loop that were made of a line, and whether it stands in the function itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Weight {
    is_own: bool,
    instructions: u32,
}

impl<'a> Compiled<'a> {
    pub fn of(records: &'a CompilerRecords, run: &'a ObjectRun, code: &CodeSamples) -> Compiled<'a> {
        let mut by_line: BTreeMap<(&str, u32), Vec<&LoopRemark>> = BTreeMap::new();
        for remark in &records.remarks {
            by_line.entry((name(&remark.file), remark.line)).or_default().push(remark);
        }
        let places = code.loops.iter().filter(|of| of.is_innermost).flat_map(|of| &of.lines);
        let places = places.filter_map(|line| run.places.get(line.place as usize));
        let taken = places.filter_map(super::line).map(|(file, line)| (name(file), line)).collect();
        Compiled { records, by_line, taken }
    }

    /// Of a loop of the source, all that was made of it.
    pub fn said(&self, run: &ObjectRun, parts: &[&MachineLoop], row: &LoopRow) -> Reading<CompiledLoop> {
        let binary = &row.place.file;
        if !self.records.written.contains(binary) {
            return Reading::unavailable(format!("the build did not write {binary}: it was there before"));
        }
        let lines = lines(run, parts);
        if lines.is_empty() {
            return Reading::unavailable("its lines are not known: compile with -g");
        }
        match self.remarks(&lines, row.is_innermost) {
            Some(found) => self.of_remarks(&found),
            None => self.of_source(row),
        }
    }

    /// Those of the line that is the loop's most likely: in its own function before those put into it, the first of a file.
    fn remarks(
        &self,
        lines: &BTreeMap<(&str, u32), Weight>,
        is_innermost: bool,
    ) -> Option<Vec<&'a LoopRemark>> {
        let at = |file: &str, line: u32| -> Vec<&'a LoopRemark> {
            let named = self.by_line.get(&(name(file), line)).map_or(&[][..], Vec::as_slice);
            named.iter().copied().filter(|remark| is_same_file(&remark.file, file)).collect()
        };
        let mut by_file: BTreeMap<&str, Weight> = BTreeMap::new();
        for ((file, _), weight) in lines {
            let of = by_file.entry(file).or_insert(Weight { is_own: false, instructions: 0 });
            of.is_own |= weight.is_own;
            of.instructions += weight.instructions;
        }
        let mut files: Vec<(&str, Weight)> = by_file.into_iter().collect();
        files.sort_by(|one, other| other.1.cmp(&one.1).then(one.0.cmp(other.0)));
        let of_file = |file: &str, is_own: bool| -> BTreeSet<u32> {
            let of = lines.iter().filter(|((of, _), weight)| *of == file && weight.is_own == is_own);
            of.map(|((_, line), _)| *line).collect()
        };
        let groups = || {
            let both = |file| [true, false].map(|is_own| (file, of_file(file, is_own)));
            files.iter().flat_map(move |(file, _)| both(*file))
        };
        let exact = groups().find_map(|(file, lines)| {
            lines.iter().map(|line| at(file, *line)).find(|found| !found.is_empty())
        });
        exact.or_else(|| {
            groups().find_map(|(file, lines)| {
                let (first, last) = (*lines.first()?, *lines.last()?);
                // Another loop's are not its own.
                let before = (first.saturating_sub(LoopRemark::LINES_BEFORE)..first).rev();
                let before = before.take_while(|line| !self.taken.contains(&(name(file), *line)));
                let near = (first..=last).chain(before).map(|line| at(file, line));
                // What is said of loops inside is of the one around it.
                let is_around = |of: &LoopRemark| {
                    of.obstacle.as_ref().is_some_and(|why| why.cause == ObstacleCause::Nest)
                };
                let mut near = near.map(|mut found| {
                    found.retain(|of| !is_innermost || !is_around(of));
                    found
                });
                near.find(|found| !found.is_empty())
            })
        })
    }

    fn of_remarks(&self, found: &[&LoopRemark]) -> Reading<CompiledLoop> {
        let first = found[0];
        let differ = found.iter().any(|of| of.unit != first.unit && of.obstacle != first.obstacle);
        if !first.file.starts_with('/') && differ {
            return Reading::unavailable(format!(
                "several sources are called {}, and their records do not say which is which",
                first.file
            ));
        }
        let mut obstacles: Vec<LoopObstacle> = Vec::new();
        for why in found.iter().filter_map(|of| of.obstacle.as_ref()) {
            if !obstacles.iter().any(|of| of.cause == why.cause && of.about == why.about) {
                obstacles.push(why.clone());
            }
        }
        // Of a copy that is not vectorized, where there are others.
        let telling = found.iter().find(|of| of.obstacle.is_some()).unwrap_or(&found[0]);
        let Some(unit) = self.records.units.get(telling.unit as usize) else {
            return Reading::unavailable("its compiler is not known");
        };
        let is_vectorized = found.iter().any(|of| of.obstacle.is_none());
        Reading::Measured(CompiledLoop {
            compiler: unit.compiler,
            flags: unit.flags.clone(),
            is_vectorized,
            obstacles,
        })
    }

    /// A compiler that vectorizes nothing says nothing of a loop.
    fn of_source(&self, row: &LoopRow) -> Reading<CompiledLoop> {
        let Reading::Measured(file) = &row.place.source.file else {
            return Reading::unavailable("its lines are not known: compile with -g");
        };
        let is_its = |of: &&CompiledUnit| of.source.as_ref().is_some_and(|source| is_same_file(source, file));
        let Some(unit) = self.records.units.iter().find(is_its) else {
            return Reading::unavailable(format!(
                "the build did not compile {file}, or not by gcc or clang: remove what was built before, as by 'make clean'"
            ));
        };
        if unit.tried && unit.flags.iter().any(|flag| flag.starts_with("-flto")) {
            return Reading::unavailable(
                "it was optimized when the program was linked, and there is no record of that",
            );
        }
        if unit.tried {
            return Reading::unavailable("the compiler's record says nothing of its lines");
        }
        let why = LoopObstacle { cause: ObstacleCause::Level, line: None, about: None, text: String::new() };
        Reading::Measured(CompiledLoop {
            compiler: unit.compiler,
            flags: unit.flags.clone(),
            is_vectorized: false,
            obstacles: vec![why],
        })
    }
}

fn lines<'a>(run: &'a ObjectRun, parts: &[&MachineLoop]) -> BTreeMap<(&'a str, u32), Weight> {
    let mut lines: BTreeMap<(&str, u32), Weight> = BTreeMap::new();
    for part in parts {
        let function = run.places.get(part.function as usize).and_then(|of| of.source.function.measured());
        for line in &part.lines {
            let Some(place) = run.places.get(line.place as usize) else { continue };
            let Some(at) = super::line(place) else { continue };
            let is_own = place.source.function.measured() == function;
            let of = lines.entry(at).or_insert(Weight { is_own, instructions: 0 });
            of.is_own |= is_own;
            of.instructions += line.instructions;
        }
    }
    lines
}

fn name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Without steps to the folder above.
fn plain(path: &str) -> Cow<'_, str> {
    if !path.contains("/.") && !path.contains("//") {
        return Cow::Borrowed(path);
    }
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "." => {}
            "" if !parts.is_empty() => {}
            ".." if parts.last().is_some_and(|last| !["", ".."].contains(last)) => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    Cow::Owned(parts.join("/"))
}

/// One that does not begin at the root is a part of the other.
fn is_same_file(one: &str, other: &str) -> bool {
    let (one, other) = (plain(one), plain(other));
    let (one, other) = (one.as_ref(), other.as_ref());
    let relative = |path: &str| path.trim_start_matches("./").to_owned();
    let is_end = |whole: &str, end: &str| {
        whole.strip_suffix(end).is_some_and(|before| before.is_empty() || before.ends_with('/'))
    };
    match (one.starts_with('/'), other.starts_with('/')) {
        (true, true) => one == other,
        (true, false) => is_end(one, &relative(other)),
        (false, true) => is_end(other, &relative(one)),
        (false, false) => relative(one) == relative(other),
    }
}

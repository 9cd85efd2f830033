//! What the code of the program says, for who joins samples and allocations: the symbols of the files that its processes have loaded.

use std::collections::HashSet;
use std::path::PathBuf;

use numawise_facts::Reading;
use numawise_facts::activity::CodePlace;
use numawise_facts::objects::{CodeObstacle, FileAddress};
use numawise_linux::Roots;
use numawise_observe::objects::input::{Code, CodeMapping, LoadedVariable, Stack};
use numawise_symbols::{GlobalVariable, LoadedFiles, StackView};
use numawise_units::{Bytes, Pid};

/// The files of the processes of a program.
pub struct ProgramCode {
    files: LoadedFiles,
    /// Variables of so much and more are objects.
    least: Bytes,
    /// Files whose variables were asked for.
    handed: HashSet<(Pid, PathBuf)>,
}

impl ProgramCode {
    pub fn new(least: Bytes) -> ProgramCode {
        let files = LoadedFiles::new(Roots::live());
        ProgramCode { files, least, handed: HashSet::new() }
    }
}

fn loaded(variable: GlobalVariable) -> LoadedVariable {
    let GlobalVariable { name, address, bytes, defined } = variable;
    LoadedVariable { name, address, bytes: bytes.0, defined }
}

impl Code for ProgramCode {
    fn mapped(&mut self, mapping: &CodeMapping) {
        let CodeMapping { process, begin, bytes, offset, path } = mapping;
        self.files.mapped(*process, *begin, *bytes, *offset, path);
    }

    fn variables_near(&mut self, process: Pid, address: u64) -> Vec<LoadedVariable> {
        let Some(path) = self.files.file_below(process, address) else { return Vec::new() };
        if !self.handed.insert((process, path.clone())) {
            return Vec::new();
        }
        // A file that cannot be read has none: what it is named for is missing too, with its reason.
        let found = self.files.variables(process, &path, self.least).unwrap_or_default();
        found.into_iter().map(loaded).collect()
    }

    fn forked(&mut self, child: Pid, parent: Pid) {
        self.files.forked(child, parent);
        // The child's tracker has the parent's variables already.
        let of_parent: Vec<PathBuf> =
            self.handed.iter().filter(|(of, _)| *of == parent).map(|(_, path)| path.clone()).collect();
        self.handed.extend(of_parent.into_iter().map(|path| (child, path)));
    }

    fn replaced(&mut self, process: Pid) {
        self.files.replaced(process);
        self.handed.retain(|(of, _)| *of != process);
    }

    fn place(&mut self, process: Pid, address: u64) -> Option<CodePlace> {
        self.files.place(process, address)
    }

    fn place_of_code(&mut self, process: Pid, address: u64) -> Option<CodePlace> {
        self.files.place_of_code(process, address)
    }

    fn in_file(&mut self, process: Pid, address: u64) -> Option<FileAddress> {
        self.files.in_file(process, address)
    }

    fn function(&mut self, process: Pid, address: u64) -> Option<(u64, Vec<u8>)> {
        self.files.function(process, address)
    }

    fn unknown(&mut self, process: Pid, address: u64) -> (CodeObstacle, Option<String>) {
        self.files.unknown(process, address)
    }

    fn made_function(&mut self, process: Pid, address: u64) -> Option<String> {
        self.files.made_function(process, address)
    }

    fn callers(&mut self, process: Pid, stack: &Stack<'_>) -> Vec<u64> {
        let Stack { ip, sp, bp, kept, r10, after_call, bytes } = *stack;
        self.files.callers(process, &StackView { ip, sp, bp, kept, r10, after_call, bytes })
    }

    fn variable(&mut self, place: &CodePlace) -> Reading<String> {
        self.files.variable(place)
    }

    fn variables_of_calls(&mut self, returns_to: &FileAddress) -> Vec<String> {
        self.files.variables_of_calls(returns_to)
    }
}

//! What is told of a program while it runs, in the order of time.

use std::path::PathBuf;

use numawise_facts::Reading;
use numawise_facts::activity::CodePlace;
use numawise_facts::objects::{CodeObstacle, FileAddress, ObjectKind};
use numawise_linux::samples::SampledLoad;
use numawise_operands::Registers;
use numawise_units::{CpuId, Nanoseconds, Pid};

/// Something that happened to the memory of a process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemoryEvent {
    pub process: Pid,
    pub thread: Pid,
    pub at: Nanoseconds,
    pub change: MemoryChange,
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MemoryChange {
    /// By an allocator. `stack`: the number by which the process tells its call stacks apart.
    Allocated {
        address: u64,
        bytes: u64,
        stack: Option<u32>,
        /// For how many allocations of this call it stands, on average: the others were not written down.
        weight: u32,
    },
    /// By the program; `kind` says whether it is shared.
    Mapped {
        address: u64,
        bytes: u64,
        stack: Option<u32>,
        kind: ObjectKind,
    },
    /// A small allocation that was drawn, which stands for so many bytes.
    Drawn {
        address: u64,
        weight: u64,
        stack: Option<u32>,
    },
    Freed {
        address: u64,
    },
    Unmapped {
        address: u64,
        bytes: u64,
    },
}

/// A thread that was interrupted by the clock.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TimeSample<'a> {
    pub at: Nanoseconds,
    pub process: Pid,
    pub thread: Pid,
    pub cpu: CpuId,
    pub registers: Registers,
    /// Page faults of the thread since it began, modulo 2^32; nothing where they are sampled by themselves.
    pub faults: Option<u32>,
    /// The number of what it executes in Python, where that is known.
    pub python: Option<u32>,
    pub stack: Stack<'a>,
}

/// A function of Python in progress.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PythonFrame {
    pub file: String,
    pub function: String,
    pub line: Option<u32>,
}

/// A first access to a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FaultSample<'a> {
    pub at: Nanoseconds,
    pub process: Pid,
    pub thread: Pid,
    pub cpu: CpuId,
    pub address: u64,
    /// Faults that it stands for.
    pub faults: u64,
    pub stack: Stack<'a>,
}

/// A sample of an event by which the processor samples loads; what it is of may be another instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LoadSample {
    pub process: Pid,
    pub ip: u64,
    /// 0 where it is not known.
    pub address: u64,
    pub of: SampledLoad,
}

/// The registers and the bytes from which the callers of a function follow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stack<'a> {
    pub ip: u64,
    pub sp: u64,
    pub bp: u64,
    /// rbx and r12 to r15, which a function that uses them puts back; of aarch64 the first is x30, where the innermost function returns to.
    pub kept: [u64; 5],
    /// r10 of x86-64, where functions that align their stack keep its old begin at first.
    pub r10: Option<u64>,
    /// `ip` is where a call returns to, and not an instruction at which the thread was interrupted.
    pub after_call: bool,
    /// From `sp` on.
    pub bytes: &'a [u8],
}

/// A file that was mapped so that its code can run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodeMapping {
    pub process: Pid,
    pub begin: u64,
    pub bytes: u64,
    /// In the file.
    pub offset: u64,
    pub path: PathBuf,
}

/// The code of the program, by addresses in its processes.
pub trait Code {
    /// A file was mapped.
    fn mapped(&mut self, mapping: &CodeMapping);
    /// The variables, large enough to be objects, of the file whose data may lie at an address; of each file once.
    fn variables_near(&mut self, process: Pid, address: u64) -> Vec<LoadedVariable>;
    /// A process that was forked has what its parent has mapped.
    fn forked(&mut self, child: Pid, parent: Pid);
    /// A process runs another program: nothing is mapped any more.
    fn replaced(&mut self, process: Pid);
    /// What stands there: the innermost function that has a line of its own.
    fn place(&mut self, process: Pid, address: u64) -> Option<CodePlace>;
    /// The same of code that takes time: also with lines of headers of the system.
    fn place_of_code(&mut self, process: Pid, address: u64) -> Option<CodePlace> {
        self.place(process, address)
    }
    /// The file around an address, and the address in it.
    fn in_file(&mut self, process: Pid, address: u64) -> Option<FileAddress>;
    /// The function around an address: where it begins, and its bytes.
    fn function(&mut self, process: Pid, address: u64) -> Option<(u64, Vec<u8>)>;
    /// Why there is no function around an address, and the file that it is about.
    fn unknown(&mut self, process: Pid, address: u64) -> (CodeObstacle, Option<String>);
    /// The function at an address of code that a runtime makes, as the runtime names it.
    fn made_function(&mut self, process: Pid, address: u64) -> Option<String>;
    /// Where the callers go on, from the innermost on.
    fn callers(&mut self, process: Pid, stack: &Stack<'_>) -> Vec<u64>;
    /// The variable that the value of a call on a line goes to.
    fn variable(&mut self, place: &CodePlace) -> Reading<String>;
    /// The variables that results go to of the calls which return there, from the innermost on.
    fn variables_of_calls(&mut self, returns_to: &FileAddress) -> Vec<String>;
}

/// A variable of a file that was loaded into a process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoadedVariable {
    pub name: String,
    pub address: u64,
    pub bytes: u64,
    /// Where it is defined.
    pub defined: Reading<CodePlace>,
}

//! What the code of a running program says, from outside: the files that are loaded into its processes -> functions, callers, lines and
//! variables; and what compilers wrote down of the loops in it.
//!
//! It reads files and copies of stacks, and of a live process only which files lie where. It runs nothing and judges nothing. Files of
//! strangers may be broken, stripped, changed since they were loaded or gone: what they do not say is missing, with its reason.

mod c_text;
mod c_variables;
mod cython;
mod debug_info;
mod definitions;
mod elf;
mod error;
mod fortran_variables;
mod frame_table;
mod globals;
mod loaded;
mod mappings;
mod perf_map;
mod python_source;
mod python_variables;
pub mod remarks;
mod runtimes;
mod source;
mod symbol_table;
mod system_code;
mod unwind;
mod variable;

pub use debug_info::DebugInfo;
pub use error::Error;
pub use globals::GlobalVariable;
pub use loaded::LoadedFiles;
pub use perf_map::PerfMap;
pub use python_source::place as python_place;
pub use source::SourceFiles;
pub use system_code::{is_system, is_systems_library};
pub use unwind::StackView;

//! numactl's options for shared memory segments and files: recognised, so that a pointer can be given.

use super::super::Failure;
use super::arguments::short;

/// What numactl takes for the policy of a segment. None of it is about a program.
#[derive(Debug, Clone, PartialEq, Eq, Default, clap::Args)]
#[group(id = "shared_memory", multiple = true)]
pub struct SharedMemory {
    #[arg(long, short = 'S', hide = true)]
    shm: Option<String>,
    #[arg(long, short = 'I', hide = true, aliases = short("shmid", 4))]
    shmid: Option<String>,
    #[arg(long, short = 'M', hide = true, aliases = short("shmmode", 4))]
    shmmode: Option<String>,
    #[arg(long, short = 'f', hide = true, aliases = short("file", 1))]
    file: Option<String>,
    #[arg(long, short = 'o', hide = true, aliases = short("offset", 1))]
    offset: Option<String>,
    #[arg(long, short = 'L', hide = true, aliases = short("length", 2))]
    length: Option<String>,
    #[arg(long, short = 't', hide = true, aliases = short("strict", 2))]
    strict: bool,
    #[arg(long, short = 'u', hide = true, aliases = short("huge", 2))]
    huge: bool,
    #[arg(long, short = 'T', hide = true, aliases = short("touch", 1))]
    touch: bool,
    #[arg(long, short = 'd', hide = true)]
    dump: bool,
    #[arg(long, short = 'D', hide = true, aliases = short("dump-nodes", 5))]
    dump_nodes: bool,
}

impl SharedMemory {
    /// # Errors
    /// When one of them was typed.
    pub fn refuse(&self) -> Result<(), Failure> {
        let typed = [
            ("--shm", self.shm.is_some()),
            ("--shmid", self.shmid.is_some()),
            ("--shmmode", self.shmmode.is_some()),
            ("--file", self.file.is_some()),
            ("--offset", self.offset.is_some()),
            ("--length", self.length.is_some()),
            ("--strict", self.strict),
            ("--huge", self.huge),
            ("--touch", self.touch),
            ("--dump", self.dump),
            ("--dump-nodes", self.dump_nodes),
        ];
        match typed.iter().find(|(_, typed)| *typed) {
            None => Ok(()),
            Some((option, _)) => Err(Failure::new(format!(
                "{option} concerns shared memory segments and files, which outlive a program; numawise run places \
                 programs only; set the policy of a segment with numactl {option} ..., then run the program here{}",
                match *option {
                    "--huge" => " (for huge pages of the program: --page-size huge)",
                    _ => "",
                }
            ))),
        }
    }
}

//! Compiles programs and runs them under the library.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::library::pinning_library;

use numawise_units::CpuSet;

pub struct Bench {
    folder: tempfile::TempDir,
    pub library: PathBuf,
    /// The first two CPUs that we may use, called a and b.
    pub cpus: [String; 2],
}

pub struct Printed {
    pub output: String,
    pub errors: String,
}

impl Bench {
    /// `None`, having said so, where there are not two CPUs.
    pub fn new() -> Option<Bench> {
        let allowed: Vec<String> =
            numawise_linux::calls::affinity::own().unwrap().iter().map(|cpu| cpu.to_string()).collect();
        let [a, b, ..] = allowed.as_slice() else {
            eprintln!("SKIPPED: it takes two CPUs to see where a thread is");
            return None;
        };
        let folder = tempfile::tempdir().unwrap();
        Some(Bench { folder, library: pinning_library().to_path_buf(), cpus: [a.clone(), b.clone()] })
    }

    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// "thread 1: ab" with the numbers of the CPUs.
    pub fn with_cpus(&self, line: &str) -> String {
        let [a, b] = &self.cpus;
        let Some((words, cpus)) = line.rsplit_once(": ") else {
            return line.replace("{a}", &format!("{{{a}}}")).replace("{b}", &format!("{{{b}}}"));
        };
        match cpus {
            "a" => format!("{words}: {a}"),
            "b" => format!("{words}: {b}"),
            "ab" => format!("{words}: {a} {b}"),
            "CPUs b" => format!("{words}: CPUs {b}"),
            _ => line.to_owned(),
        }
    }

    pub fn c(&self, name: &str) -> String {
        self.compile("gcc", name, &[&format!("{name}.c")], &[])
    }

    /// A program with a helper's library of that name.
    pub fn helped(&self, library: &str) -> String {
        let file = format!("{library}.so");
        let shared = self.compile(
            "g++",
            &file,
            &["helper.cpp"],
            &["-shared", "-fPIC", &format!("-Wl,-soname,{file}")],
        );
        let rpath = format!("-Wl,-rpath,{}", self.folder.path().display());
        self.compile("g++", &format!("with-{library}"), &["helped.cpp"], &[&shared, &rpath])
    }

    pub fn compile(&self, compiler: &str, name: &str, sources: &[&str], options: &[&str]) -> String {
        self.try_compile(compiler, name, sources, options)
            .unwrap_or_else(|| panic!("{name} does not compile"))
    }

    pub fn try_compile(
        &self,
        compiler: &str,
        name: &str,
        sources: &[&str],
        options: &[&str],
    ) -> Option<String> {
        let programs = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/pinner/programs");
        let made = self.folder.path().join(name);
        let mut command = Command::new(compiler);
        command.args(["-O1", "-Wall", "-Wextra", "-D_GNU_SOURCE", "-pthread", "-o"]).arg(&made);
        command.args(sources.iter().map(|source| programs.join(source))).args(options);
        let output = command.output().unwrap_or_else(|error| panic!("{compiler}: {error}"));
        if !output.status.success() {
            eprintln!("{}", String::from_utf8_lossy(&output.stderr));
            return None;
        }
        Some(made.to_str().unwrap().to_owned())
    }

    /// Runs words on the CPUs a and b, as the library's environment has it for two threads; `variables` come after.
    pub fn run(&self, words: &[&str], variables: &[(&str, &str)]) -> Printed {
        let [a, b] = &self.cpus;
        let plan = format!("1;{a},{b};{a};{b}");
        let mut all = vec![("NUMAWISE_PIN", plan.as_str())];
        all.extend(variables);
        self.start(words, &all)
    }

    pub fn run_without_plan(&self, words: &[&str]) -> Printed {
        self.start(words, &[])
    }

    fn start(&self, words: &[&str], variables: &[(&str, &str)]) -> Printed {
        use std::os::unix::process::CommandExt;
        let mut command = Command::new(words[0]);
        command.args(&words[1..]).env("LD_PRELOAD", &self.library);
        command.envs(variables.iter().copied());
        let cpus: CpuSet = self.cpus.join(",").parse().unwrap();
        let mask = cpus.words().to_vec();
        // SAFETY: one system call on memory that was made before the fork.
        unsafe {
            command.pre_exec(move || {
                match libc::syscall(
                    libc::SYS_sched_setaffinity,
                    0,
                    size_of_val(mask.as_slice()),
                    mask.as_ptr(),
                ) {
                    0 => Ok(()),
                    _ => Err(std::io::Error::last_os_error()),
                }
            });
        }
        let output = command.output().unwrap();
        assert!(output.status.success(), "{words:?}: {}", output.status);
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        Printed { output: text(output.stdout), errors: text(output.stderr) }
    }
}

pub fn lines(text: &str) -> Vec<String> {
    text.lines().map(str::to_owned).collect()
}

# Recipe for Spack 1.0 and later: packages/numawise/package.py of a repository. In a checkout,
#   spack dev-build numawise@main
# builds and installs it. Cargo fetches the crates of Cargo.lock meanwhile, by their checksums.

from spack_repo.builtin.build_systems.makefile import MakefilePackage

from spack.package import *


class Numawise(MakefilePackage):
    """Places threads, ranks and memory on NUMA nodes, measures whether that
    matters for a program and by how much, and says what should change. With a
    library for programs in C, C++ and Fortran that place themselves."""

    # Not served anywhere yet: docs/decisions/0037-packages.md
    homepage = "https://numawise.example.org"
    git = "https://numawise.example.org/numawise.git"

    license("Apache-2.0", checked_by="numawise")

    version("main", branch="main")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("rust@1.89:", type="build")
    # Opened when it is needed, by the name libhwloc.so.15; the compiler's wrapper puts its folder
    # into the path of the binary.
    depends_on("hwloc@2", type=("build", "link", "run"))

    conflicts("platform=darwin", msg="numawise places threads and memory by calls of Linux")
    conflicts("platform=windows", msg="numawise places threads and memory by calls of Linux")

    # `make build` would install what is missing by apt; `make all` installs nothing.
    build_targets = ["all"]

    # `make test` needs emulated machines and a browser.
    build_time_test_callbacks = []

    @property
    def install_targets(self):
        return ["install", f"PREFIX={self.prefix}"]

    def setup_build_environment(self, env):
        # What cargo fetches goes with the stage, and no settings of the user's come in.
        env.set("CARGO_HOME", join_path(self.stage.path, "cargo-home"))

    def test_version(self):
        """the command says its version"""
        numawise = Executable(self.prefix.bin.numawise)
        out = numawise("--version", output=str.split, error=str.split)
        assert out.startswith("numawise ")

    def test_run(self):
        """a program starts at a place"""
        numawise = Executable(self.prefix.bin.numawise)
        words = ("run", "--place", "local", "--threads", "1", "--", "echo", "placed")
        out = numawise(*words, output=str.split, error=str.split)
        assert "placed" in out

    def test_machine(self):
        """hwloc is found"""
        numawise = Executable(self.prefix.bin.numawise)
        out = numawise("machine", "--json", output=str.split, error=str.split)
        assert '"nodes"' in out

    def test_library(self):
        """a program in C links with the library"""
        with open("uses.c", "w", encoding="utf-8") as source:
            source.write(
                "#include <numawise/numawise.h>\n"
                "numawise_machine *machine;\n"
                "int main(void) { return numawise_open(&machine) != NUMAWISE_OK; }\n"
            )
        lib = self.prefix.lib
        cc = which("cc", required=True)
        rpath = f"-Wl,-rpath,{lib}"
        cc("uses.c", f"-I{self.prefix.include}", f"-L{lib}", rpath, "-lnumawise", "-o", "uses")
        Executable("./uses")()

# One target each: demo, demo-emulated, build, test, test-packages, tidy, bench, truth, null, install, wheel, deb. `make help` lists them.
.DELETE_ON_ERROR:
CARGO ?= cargo
NUMAWISE := target/release/numawise
HOST = $(shell rustc -vV | sed -n 's/^host: //p')
LIBRARIES := $(addprefix target/release/,libnumawise_agent.so libnumawise_collector.so libnumawise_heap.so)
LIBRARY := target/library/libnumawise
PREFIX ?= /usr/local
LIBDIR ?= $(PREFIX)/lib
MANDIR ?= $(PREFIX)/share/man
ZSHDIR ?= $(PREFIX)/share/zsh/site-functions
# Man pages and completions, made by `make pages`; empty where none are to be installed.
MAN := build/man
COMPLETIONS := build/completions
ISO3DFD := build/iso3dfd/iso3dfd
VERSION = $(shell sed -n 's/^version = "\(.*\)"/\1/p' $(CURDIR)/crates/cli/Cargo.toml)

.PHONY: help
help:
	@echo 'make demo           check the bundled iso3dfd on this machine; writes report.html'
	@echo 'make demo-emulated  the same on an emulated machine with two sockets and NUMA timing'
	@echo 'make test           every kind of test whose outcome does not depend on the speed of this machine'
	@echo 'make test-timing    the tests that measure time, cost and shares; ONLY=WORD for some of them'
	@echo 'make test-packages  installs the Debian packages and the wheel in bare roots of Debian, uses and removes them'
	@echo 'make tidy           formatting, lints, the rules of ARCHITECTURE.md, sizes of files'
	@echo 'make bench          the figures that we promise, vs other tools'
	@echo 'make truth          what check says of programs whose truth is measured by hand; remakes docs/truth.md in 75 min'
	@echo 'make null           what check says of programs that nothing can affect; remakes docs/truth-null.md in 10 min'
	@echo 'make build          the numawise binary, its three preloaded libraries, the library for C and C++, man pages, completions, and iso3dfd'
	@echo 'make all            the same without iso3dfd; installs nothing, for recipes that bring rust, gcc and hwloc themselves'
	@echo 'make programs       the other bundled programs: pi (oneTBB), advect and cg (MPI)'
	@echo 'make install        into PREFIX ($(PREFIX)): bin/, lib/ and include/ with all that programs compile and link with, share/'
	@echo 'make uninstall      removes what make install has put into PREFIX'
	@echo 'make wheel          the package for Python, with the command in it, in target/wheels; maturin comes from PyPI into build/'
	@echo 'make deb            Debian packages in build/deb: numawise, libnumawise1, libnumawise-dev'

# What is missing is installed before anything is built, with -j too.
.PHONY: build
build: deps-build
	$(MAKE) --no-print-directory all $(ISO3DFD)

.PHONY: all
all: $(NUMAWISE) $(LIBRARY).so pages

# Cargo and the workload's own makefile know best whether there is something to do. The command is compiled for one place, what Cargo loads while it
# compiles is not, and it tells the two apart only where a target is named (docs/decisions/0038-build.md).
.PHONY: $(NUMAWISE) $(LIBRARY).so $(ISO3DFD)
$(NUMAWISE):
	$(CARGO) build --profile preloaded --locked -p numawise-agent -p numawise-collector -p numawise-heap
	$(CARGO) build --release --locked -p numawise --target $(HOST) --config 'target.$(HOST).rustflags = ["-Crelocation-model=static"]' \
	  --config 'build.rustc-wrapper = "$(CURDIR)/scripts/rustc-outlined"'
	cp -u --remove-destination $(NUMAWISE:target/%=target/$(HOST)/%) $(NUMAWISE)
	cp -u $(subst release,preloaded,$(LIBRARIES)) $(dir $(NUMAWISE))
$(LIBRARY).so:
	$(CARGO) build --profile library --locked -p numawise-capi
	scripts/link-library $(LIBRARY).a $(LIBRARY).so
$(ISO3DFD):
	$(MAKE) --no-print-directory -C native/workloads/iso3dfd all

# Made by what is built, so that they say what it does.
.PHONY: pages
pages: $(NUMAWISE)
	rm -rf build/man build/completions
	mkdir -p build/man/man1 build/completions
	$(NUMAWISE) man-pages build/man/man1
	$(CARGO) run --quiet --locked -p xtask -- man build/man/man3
	for shell in bash zsh fish; do $(NUMAWISE) completions $$shell > build/completions/numawise.$$shell || exit 1; done

.PHONY: programs
programs: deps-programs
	$(MAKE) --no-print-directory -C native/workloads/pi all
	$(MAKE) --no-print-directory -C native/workloads/advect all
	$(MAKE) --no-print-directory -C native/workloads/cg all

# The binary finds the libraries beside itself, or in ../lib/numawise. Nothing is built here, so that root need not build.
.PHONY: install
install:
	@test -x $(NUMAWISE) && ls $(LIBRARIES) $(LIBRARY).so $(LIBRARY).a $(MAN:%=%/man1/numawise.1) $(MAN:%=%/man3/numawise.3) \
	  $(foreach shell,bash zsh fish,$(COMPLETIONS:%=%/numawise.$(shell))) > /dev/null 2>&1 || \
	  { echo 'install: not built yet; first: make build' >&2; exit 1; }
	install -D -m 755 $(NUMAWISE) $(DESTDIR)$(PREFIX)/bin/numawise
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/lib/numawise $(LIBRARIES)
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/include $(CURDIR)/include/numawise.h $(CURDIR)/include/numawise.f90
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/include/numawise $(CURDIR)/include/numawise/*
	install -D -m 644 $(LIBRARY).so $(DESTDIR)$(LIBDIR)/libnumawise.so.1
	ln -sf libnumawise.so.1 $(DESTDIR)$(LIBDIR)/libnumawise.so
	install -D -m 644 -t $(DESTDIR)$(LIBDIR) $(LIBRARY).a
	install -D -m 644 -t $(DESTDIR)$(LIBDIR)/cmake/numawise $(CURDIR)/packaging/numawise-config.cmake
	install -d $(DESTDIR)$(LIBDIR)/pkgconfig
	for file in pkgconfig/numawise.pc cmake/numawise/numawise-config-version.cmake; do \
	  sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@LIBDIR@|$(patsubst $(PREFIX)/%,$${prefix}/%,$(LIBDIR))|' -e 's|@VERSION@|$(VERSION)|' \
	    $(CURDIR)/packaging/$${file##*/}.in > $(DESTDIR)$(LIBDIR)/$$file || exit 1; \
	done
ifneq ($(MAN),)
	install -D -m 644 -t $(DESTDIR)$(MANDIR)/man1 $(MAN)/man1/*.1
	install -D -m 644 -t $(DESTDIR)$(MANDIR)/man3 $(MAN)/man3/*.3
endif
ifneq ($(COMPLETIONS),)
	install -D -m 644 $(COMPLETIONS)/numawise.bash $(DESTDIR)$(PREFIX)/share/bash-completion/completions/numawise
	install -D -m 644 $(COMPLETIONS)/numawise.zsh $(DESTDIR)$(ZSHDIR)/_numawise
	install -D -m 644 $(COMPLETIONS)/numawise.fish $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/numawise.fish
endif

# What install has put there, with the folders that are ours alone. Pages go by their names: there may be others than were built here.
.PHONY: uninstall
uninstall:
	rm -f $(DESTDIR)$(PREFIX)/bin/numawise $(addprefix $(DESTDIR)$(PREFIX)/lib/numawise/,$(notdir $(LIBRARIES)))
	rm -f $(addprefix $(DESTDIR)$(PREFIX)/include/,numawise.h numawise.f90)
	rm -f $(addprefix $(DESTDIR)$(PREFIX)/include/numawise/,$(notdir $(wildcard $(CURDIR)/include/numawise/*)))
	rm -f $(addprefix $(DESTDIR)$(LIBDIR)/,libnumawise.so.1 libnumawise.so libnumawise.a pkgconfig/numawise.pc)
	rm -f $(addprefix $(DESTDIR)$(LIBDIR)/cmake/numawise/numawise-config,.cmake -version.cmake)
	rm -f $(DESTDIR)$(MANDIR)/man1/numawise.1 $(DESTDIR)$(MANDIR)/man1/numawise-*.1
	rm -f $(DESTDIR)$(MANDIR)/man3/numawise.3 $(DESTDIR)$(MANDIR)/man3/numawise_*.3
	rm -f $(DESTDIR)$(PREFIX)/share/bash-completion/completions/numawise $(DESTDIR)$(ZSHDIR)/_numawise
	rm -f $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/numawise.fish
	for folder in $(PREFIX)/lib/numawise $(PREFIX)/include/numawise $(LIBDIR)/cmake/numawise; do \
	  if [ -d $(DESTDIR)$$folder ]; then rmdir --ignore-fail-on-non-empty $(DESTDIR)$$folder; fi; \
	done

.PHONY: deb
deb: deps-deb
	$(MAKE) --no-print-directory all
	scripts/deb build/deb

.PHONY: wheel
wheel: deps-wheel
	$(MAKE) --no-print-directory $(NUMAWISE)
	scripts/wheel target/wheels

.PHONY: test-packages
test-packages: deps-test
	$(MAKE) --no-print-directory all
	scripts/test-packages

.PHONY: deps-build deps-programs deps-test deps-bench deps-deb deps-wheel
deps-build deps-programs deps-test deps-bench deps-deb deps-wheel: deps-%:
	@scripts/deps $*

# Nothing is built that it does not need.
.PHONY: demo
demo: deps-build
	$(MAKE) --no-print-directory $(NUMAWISE) $(ISO3DFD)
	scripts/demo

.PHONY: demo-emulated
demo-emulated: build deps-test
	testbed/demo

# What measures time is no part of it, and nothing is built for speed.
.PHONY: test
test: deps-test
	scripts/test

# Nothing else should run on this machine meanwhile. It prints what it finds, and is no gate.
.PHONY: test-timing
test-timing: build deps-test
	$(CARGO) run --quiet --locked -p testbed -- fetch
	$(CARGO) xtask test --timing $(ONLY)

.PHONY: tidy
tidy:
	scripts/tidy

.PHONY: bench
bench: build deps-bench
	scripts/bench

# Nothing else may run on this machine meanwhile: emulated machines with timing need its CPUs.
.PHONY: truth
truth: build deps-test
	$(MAKE) --no-print-directory -C native/workloads/cases all
	$(CARGO) run --quiet --locked -p testbed -- truth

# Nothing else should run on this machine meanwhile: what disturbs a run is no fault of the verdict.
.PHONY: null
null: build
	scripts/null-programs

.PHONY: clean
clean:
	$(CARGO) clean
	rm -rf build report.html report-emulated.html demo.nw

# One target each: demo, demo-emulated, test, tidy, bench, truth, null. `make help` lists them.
.DELETE_ON_ERROR:
CARGO ?= cargo
NUMAWISE := target/release/numawise
LIBRARIES := $(addprefix target/release/,libnumawise_agent.so libnumawise_collector.so libnumawise_heap.so)
LIBRARY := target/library/libnumawise
PREFIX ?= /usr/local
ISO3DFD := build/iso3dfd/iso3dfd

.PHONY: help
help:
	@echo 'make demo           check the bundled iso3dfd on this machine; writes report.html'
	@echo 'make demo-emulated  the same on an emulated machine with two sockets and NUMA timing'
	@echo 'make test           every kind of test'
	@echo 'make tidy           formatting, lints, the rules of ARCHITECTURE.md, sizes of files'
	@echo 'make bench          the figures that we promise, vs other tools'
	@echo 'make truth          what check says of programs whose truth is measured by hand; remakes docs/truth.md in 75 min'
	@echo 'make null           what check says of programs that nothing can affect; remakes docs/truth-null.md in 10 min'
	@echo 'make build          the numawise binary, its three preloaded libraries, the library for C and C++, and iso3dfd'
	@echo 'make programs       the other bundled programs: pi (oneTBB), advect and cg (MPI)'
	@echo 'make install        into PREFIX ($(PREFIX)): bin/, lib/ and include/ with all that programs compile and link with'

.PHONY: build
build: deps-build $(NUMAWISE) $(LIBRARY).so $(ISO3DFD)

# Cargo and the workload's own makefile know best whether there is something to do.
.PHONY: $(NUMAWISE) $(LIBRARY).so $(ISO3DFD)
$(NUMAWISE):
	$(CARGO) build --release --locked -p numawise -p numawise-agent -p numawise-collector -p numawise-heap
$(LIBRARY).so:
	$(CARGO) build --profile library --locked -p numawise-capi
$(ISO3DFD):
	$(MAKE) --no-print-directory -C native/workloads/iso3dfd all

.PHONY: programs
programs: deps-programs
	$(MAKE) --no-print-directory -C native/workloads/pi all
	$(MAKE) --no-print-directory -C native/workloads/advect all
	$(MAKE) --no-print-directory -C native/workloads/cg all

# The binary finds the libraries beside itself, or in ../lib/numawise. Nothing is built here, so that root need not build.
.PHONY: install
install:
	@test -x $(NUMAWISE) && ls $(LIBRARIES) $(LIBRARY).so $(LIBRARY).a > /dev/null 2>&1 || { echo 'install: not built yet; first: make build' >&2; exit 1; }
	install -D -m 755 $(NUMAWISE) $(DESTDIR)$(PREFIX)/bin/numawise
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/lib/numawise $(LIBRARIES)
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/include $(CURDIR)/include/numawise.h $(CURDIR)/include/numawise.f90
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/include/numawise $(CURDIR)/include/numawise/*
	install -D -m 644 $(LIBRARY).so $(DESTDIR)$(PREFIX)/lib/libnumawise.so.1
	ln -sf libnumawise.so.1 $(DESTDIR)$(PREFIX)/lib/libnumawise.so
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/lib $(LIBRARY).a
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/lib/cmake/numawise $(CURDIR)/packaging/numawise-config.cmake
	install -d $(DESTDIR)$(PREFIX)/lib/pkgconfig
	for file in lib/pkgconfig/numawise.pc lib/cmake/numawise/numawise-config-version.cmake; do \
	  sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@VERSION@|$(shell sed -n 's/^version = "\(.*\)"/\1/p' $(CURDIR)/crates/cli/Cargo.toml)|' \
	    $(CURDIR)/packaging/$${file##*/}.in > $(DESTDIR)$(PREFIX)/$$file || exit 1; \
	done

.PHONY: deps-build deps-programs deps-test deps-bench
deps-build deps-programs deps-test deps-bench: deps-%:
	@scripts/deps $*

# The grid fills 0.9 GiB, well beyond any cache, and a run takes about a second.
.PHONY: demo
demo: build
	$(NUMAWISE) check --fresh --budget 40s --metric 'throughput: ([0-9.]+)' --higher-is-better \
	  --output demo.nw --html report.html -- $(ISO3DFD) 512 512 256 20 512 128 256 '{threads}'
	@echo 'The report is in report.html, the record in demo.nw.'

.PHONY: demo-emulated
demo-emulated: build deps-test
	testbed/demo

.PHONY: test
test: build deps-test
	scripts/test

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

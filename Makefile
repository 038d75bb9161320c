# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# netbench, harness and copylib. One build folder per machine and sanitizer:
#   build/x86_64/bin/{netbench,harness}, build/x86_64-address/..., build/riscv64/...
# A new source file needs no line here: every .c below a component's folders is part of it,
# every test/test_*.c is a program of its own, every test/*.sh an integration test.

VERSION = 0.1.0
PREFIX ?= /usr/local
DESTDIR ?=

# -- the machine we build for ----------------------------------------------------------------
ifdef CROSS
ARCH := $(CROSS)
CC = $(CROSS)-linux-gnu-gcc
SYSROOT ?= build/board/tree
CROSS_FLAGS = --sysroot=$(abspath $(SYSROOT))
PKG_CONFIG = PKG_CONFIG_SYSROOT_DIR=$(abspath $(SYSROOT)) \
	PKG_CONFIG_LIBDIR=$(abspath $(SYSROOT))/usr/lib/$(CROSS)-linux-gnu/pkgconfig pkg-config
OBJDUMP ?= $(CROSS)-linux-gnu-objdump
else
ifeq ($(origin CC),default)
CC = gcc
endif
ARCH := $(firstword $(subst -, ,$(shell $(CC) -dumpmachine)))
PKG_CONFIG ?= pkg-config
OBJDUMP ?= objdump
endif
COMPILER := $(if $(findstring clang,$(shell $(CC) --version)),clang,gcc)

# -- flags -----------------------------------------------------------------------------------
# SANITIZE=address (with undefined), thread: a build folder of its own each.
SANITIZE ?=
SANITIZE_address = -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
SANITIZE_thread = -fsanitize=thread -fno-omit-frame-pointer
SANITIZE_FLAGS = $(if $(SANITIZE),$(or $(SANITIZE_$(SANITIZE)),$(error SANITIZE is address or thread)))

CFLAGS ?= -O2 -g
WARNINGS = -Wall -Wextra -Werror -Wstrict-prototypes -Wmissing-prototypes -Wshadow -Wvla
LIBRARIES = liburing jansson
BASE_FLAGS = -std=gnu11 $(WARNINGS) -I. -DNETBENCH_VERSION='"$(VERSION)"' -pthread $(CROSS_FLAGS)
LIBRARY_FLAGS := $(shell $(PKG_CONFIG) --cflags $(LIBRARIES) 2>/dev/null)
LDLIBS := $(shell $(PKG_CONFIG) --libs $(LIBRARIES) 2>/dev/null) -linih -lm

# The routines are what is measured: they keep these flags whatever CFLAGS says. At plain -O2 both
# compilers turn a copy loop into a call of memcpy, or into vector code: then nothing would be compared.
# clang also unrolls loops, and joins neighbouring words in vector registers after its vectorizers.
VARIANT_FLAGS_gcc = -fno-builtin -fno-tree-loop-distribute-patterns -fno-tree-vectorize
VARIANT_FLAGS_clang = -fno-builtin -fno-vectorize -fno-slp-vectorize -fno-unroll-loops \
	-mno-implicit-float -Wno-unused-command-line-argument
VARIANT_MARCH_riscv64 = -march=rv64gc -mabi=lp64d
VARIANT_FLAGS = -O2 -g -fPIC -fno-stack-protector -fno-strict-aliasing \
	$(VARIANT_FLAGS_$(COMPILER)) $(VARIANT_MARCH_$(ARCH))

# -- files -----------------------------------------------------------------------------------
BUILD := build/$(ARCH)$(if $(filter clang,$(COMPILER)),-clang)$(if $(SANITIZE),-$(SANITIZE))
BIN := $(BUILD)/bin
TEST := $(BUILD)/test

# Everything below a component's folders, without main.c (a program) and test/ (programs of their own).
sources = $(filter-out %/main.c,$(sort $(foreach folder,$(1),$(wildcard $(folder)/*.c $(folder)/*.S))))
objects = $(patsubst %,$(BUILD)/%.o,$(basename $(1)))

# A portable routine gives way to one of the same name that is written for the machine.
variants_for = $(call sources,copylib/$(1)) $(filter-out \
	$(patsubst %,copylib/portable/%.c,$(notdir $(basename $(call sources,copylib/$(1))))), \
	$(call sources,copylib/portable))
VARIANT_SOURCES := $(call variants_for,$(ARCH))
COPYLIB_SOURCES := $(filter-out copylib/preload.c,$(call sources,copylib)) $(VARIANT_SOURCES)
NETBENCH_SOURCES := $(call sources,netbench netbench/iperf3 netbench/engine netbench/packet)
# Of the counter, what its tests reach without an emulator.
COUNTER_TABLES := harness/counter/plugin_processes.c harness/counter/plugin_slots.c
HARNESS_SOURCES := $(call sources,harness harness/measure harness/host harness/board \
	harness/checks harness/copies harness/sim) $(COUNTER_TABLES)
TEST_SOURCES := $(sort $(wildcard copylib/test/test_*.c netbench/test/test_*.c harness/test/test_*.c))

LIBCOPYLIB := $(BUILD)/libcopylib.a
LIBNETBENCH := $(BUILD)/libnetbench.a
LIBHARNESS := $(BUILD)/libharness.a
PROGRAMS := $(BIN)/netbench $(BIN)/harness
TESTS := $(foreach source,$(TEST_SOURCES),$(TEST)/$(firstword $(subst /, ,$(source)))-$(patsubst test_%.c,%,$(notdir $(source))))

PRELOAD := $(BUILD)/lib/libcopylib-preload.so

# The counter is a plugin of QEMU, which brings what it calls; and what a program of the board is
# preloaded with, so that the counter knows it.
COUNTER := $(BUILD)/lib/netbench-counter.so

# And a program of the board that calls routines between marks, for harness copy count --system.
MARK := $(if $(filter riscv64,$(ARCH)),$(BUILD)/lib/libcounter-mark.so $(BIN)/netbench-calls)

.PHONY: all
all: $(PROGRAMS) $(PRELOAD) $(COUNTER) $(MARK)

ALL_FLAGS = $(CFLAGS) $(BASE_FLAGS) $(LIBRARY_FLAGS) $(SANITIZE_FLAGS)

# So does the handler of their faults: between a fault and its fix-up nothing may use vector code.
FIXED_SOURCES := $(VARIANT_SOURCES) copylib/usercopy.c
$(call objects,$(filter %.c,$(FIXED_SOURCES))): $(BUILD)/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(BASE_FLAGS) $(VARIANT_FLAGS) -MMD -MP -c -o $@ $<

$(BUILD)/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(ALL_FLAGS) -MMD -MP -c -o $@ $<

$(BUILD)/%.o: %.S
	@mkdir -p $(@D)
	$(CC) $(BASE_FLAGS) -g $(VARIANT_MARCH_$(ARCH)) -MMD -MP -c -o $@ $<

# What is no routine is compiled once more, position independent and without sanitizers.
PRELOAD_OBJECTS = $(patsubst %,$(BUILD)/preload/copylib/%.o,registry cpu preload) \
	$(filter-out %/libc.o,$(call objects,$(VARIANT_SOURCES)))
$(BUILD)/preload/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(BASE_FLAGS) $(VARIANT_FLAGS) -MMD -MP -c -o $@ $<
$(PRELOAD): $(PRELOAD_OBJECTS) copylib/preload.map
	@mkdir -p $(@D)
	$(CC) $(BASE_FLAGS) -shared -Wl,-z,now,--version-script=copylib/preload.map -o $@ \
		$(PRELOAD_OBJECTS)

$(BUILD)/lib/libcounter-mark.so: $(BUILD)/plugin/harness/counter/preload.o
	@mkdir -p $(@D)
	$(CC) $(BASE_FLAGS) -shared -nostdlib -o $@ $^
COUNTER_SOURCES := harness/counter/plugin.c $(COUNTER_TABLES)
$(COUNTER): $(patsubst %.c,$(BUILD)/plugin/%.o,$(COUNTER_SOURCES))
	@mkdir -p $(@D)
	$(CC) $(BASE_FLAGS) -shared -o $@ $^
$(BUILD)/plugin/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(BASE_FLAGS) -fPIC -MMD -MP -c -o $@ $<

# What parses packets, without where they come from.
PACKET_SOURCES := netbench/packet/packet.c netbench/packet/walk.c netbench/packet/names.c

# The routines for riscv64 as the judge runs them (harness/sim), on any machine that can make them.
JUDGE_CC := $(if $(filter riscv64,$(ARCH)),$(CC),$(shell command -v riscv64-linux-gnu-gcc))
ifneq ($(JUDGE_CC),)
JUDGE_FLAGS = -std=gnu11 $(WARNINGS) -I. -O2 -ffreestanding -fno-pic -fno-stack-protector \
	-fno-strict-aliasing $(VARIANT_FLAGS_gcc) $(VARIANT_MARCH_riscv64)
JUDGE_SOURCES := $(filter-out %/libc.c,$(call variants_for,riscv64))
JUDGE_OBJECTS := $(patsubst %,$(BUILD)/judge/%.o,$(basename $(JUDGE_SOURCES)))
$(BUILD)/judge/%.o: %.c
	@mkdir -p $(@D)
	$(JUDGE_CC) $(JUDGE_FLAGS) -MMD -MP -c -o $@ $<
$(BUILD)/judge/%.o: %.S
	@mkdir -p $(@D)
	$(JUDGE_CC) $(JUDGE_FLAGS) -MMD -MP -c -o $@ $<
$(BUILD)/judge/variants.elf: $(JUDGE_OBJECTS)
$(BUILD)/judge/mutants.elf: $(BUILD)/judge/harness/test/mutants/mutants.o
# The parser too, for the two kinds of CPU that it has loads for.
$(BUILD)/judge/packet.elf: $(patsubst %.c,$(BUILD)/judge/%.o,$(PACKET_SOURCES))
$(BUILD)/judge/packet-zbb.elf: $(patsubst %.c,$(BUILD)/judge-zbb/%.o,$(PACKET_SOURCES))
$(BUILD)/judge-zbb/%.o: %.c
	@mkdir -p $(@D)
	$(JUDGE_CC) $(JUDGE_FLAGS) -march=rv64gc_zbb -MMD -MP -c -o $@ $<
$(BUILD)/harness/test/test_packet_counts.o: $(BUILD)/judge/packet.elf $(BUILD)/judge/packet-zbb.elf
$(BUILD)/harness/test/test_packet_counts.o: ALL_FLAGS += \
	-DPACKET_FILE='"$(abspath $(BUILD)/judge/packet.elf)"' \
	-DPACKET_ZBB_FILE='"$(abspath $(BUILD)/judge/packet-zbb.elf)"'
$(BUILD)/judge/%.elf:
	$(JUDGE_CC) -nostdlib -static -no-pie -Wl,--no-relax,--build-id=none,-e,0,-z,norelro -o $@ $^
$(BUILD)/harness/test/test_judge.o: $(BUILD)/judge/mutants.elf
$(BUILD)/harness/test/test_judge.o: ALL_FLAGS += -DMUTANTS_FILE='"$(abspath $(BUILD)/judge/mutants.elf)"'
$(BUILD)/judge/instructions.elf: $(BUILD)/judge/harness/test/instructions/instructions.o
$(BUILD)/judge/instructions-driver: harness/test/instructions/driver.c \
		$(BUILD)/judge/harness/test/instructions/instructions.o
	$(JUDGE_CC) $(WARNINGS) -I. -O2 -static -o $@ $^
$(BUILD)/harness/test/test_instructions.o: $(BUILD)/judge/instructions.elf
ifneq ($(shell echo '\#include <stdio.h>' | $(JUDGE_CC) -E - 2>/dev/null),)
$(BUILD)/harness/test/test_instructions.o: $(BUILD)/judge/instructions-driver
$(BUILD)/harness/test/test_instructions.o: ALL_FLAGS += \
	-DINSTRUCTIONS_FILE='"$(abspath $(BUILD)/judge/instructions.elf)"' \
	-DDRIVER_FILE='"$(abspath $(BUILD)/judge/instructions-driver)"'
endif
# Of the judge's own objects, so that a call takes as many instructions in QEMU as there.
$(BIN)/netbench-calls: $(BUILD)/harness/counter/calls.o $(BUILD)/copylib/portable/libc.o $(JUDGE_OBJECTS) \
		$(call objects,$(filter-out $(VARIANT_SOURCES),$(COPYLIB_SOURCES)))
	@mkdir -p $(@D)
	$(CC) $(ALL_FLAGS) $(LDFLAGS) -no-pie -Wl,--no-relax -o $@ $^
$(BUILD)/harness/sim/builtin.o: $(BUILD)/judge/variants.elf
$(BUILD)/harness/sim/builtin.o: ALL_FLAGS += -DVARIANTS_FILE='"$(abspath $(BUILD)/judge/variants.elf)"'
endif

$(BUILD)/harness/board/texts.o: harness/board/init.sh harness/board/kernel.config

$(BUILD)/harness/measure/beside.o: results/published/2021-beaglev-iperf3.json \
	results/published/2021-beaglev-usercopy-profile.json

# A file that was removed must leave the archive too, so each archive is made anew, and when the list changes.
$(LIBCOPYLIB): $(call objects,$(COPYLIB_SOURCES))
$(LIBNETBENCH): $(call objects,$(NETBENCH_SOURCES))
$(LIBHARNESS): $(call objects,$(HARNESS_SOURCES))
$(LIBCOPYLIB) $(LIBNETBENCH) $(LIBHARNESS):
	@rm -f $@
	$(AR) rcs $@ $^

$(BIN)/netbench: $(BUILD)/netbench/main.o $(LIBNETBENCH) $(LIBCOPYLIB)
$(BIN)/harness: $(BUILD)/harness/main.o $(LIBHARNESS) $(LIBCOPYLIB)
$(PROGRAMS):
	@mkdir -p $(@D)
	$(CC) $(ALL_FLAGS) $(LDFLAGS) -o $@ $^ $(LDLIBS)

# build/x86_64/test/copylib-registry from copylib/test/test_registry.c, and so on.
define test_program
$(TEST)/$(1)-%: $(BUILD)/$(1)/test/test_%.o $(LIBHARNESS) $(LIBNETBENCH) $(LIBCOPYLIB)
	@mkdir -p $$(@D)
	$$(CC) $$(ALL_FLAGS) $$(LDFLAGS) -o $$@ $$^ -lcmocka $$(LDLIBS)
endef
$(foreach component,copylib netbench harness,$(eval $(call test_program,$(component))))
.SECONDARY:

# Scripts run from the folder of their build, so that each finds the programs it is to try beside it.
SCRIPTS := $(foreach source,$(sort $(wildcard copylib/test/*.sh netbench/test/*.sh harness/test/*.sh)),\
	$(TEST)/$(firstword $(subst /, ,$(source)))-$(notdir $(source)))
define test_script
$(TEST)/$(1)-%.sh: $(1)/test/%.sh
	@mkdir -p $$(@D)
	@install -m 755 $$< $$@
endef
$(foreach component,copylib netbench harness,$(eval $(call test_script,$(component))))

.PHONY: tests
tests: $(TESTS) $(SCRIPTS)

# -- jobs ------------------------------------------------------------------------------------
.PHONY: help
help:
	@echo 'make             build netbench and harness into $(BIN)'
	@echo 'make bench       the main job: stock iperf3 against netbench, a column a variant'
	@echo 'make check       the tests, under 5 minutes'
	@echo 'make check-all   these and the long ones, under 14 minutes'
	@echo 'make fuzz        the packet parser, by libFuzzer, for FUZZ_SECONDS (an hour)'
	@echo 'make check-kernels   build, boot and try a kernel with each variant inside; half an hour'
	@echo 'make perf        every speed and memory figure that has an aim, beside the aim'
	@echo 'make install     into $$DESTDIR$$PREFIX, $(PREFIX) by default'
	@echo 'make clean       remove the build folder'
	@echo 'SANITIZE=address|thread, CC=clang, CROSS=riscv64: each in a build folder of its own'
	@echo 'make board       the virtual RISC-V board: made of Debian packages, and booted'
	@echo 'make sysroot     headers and libraries for the cross build, a part of it'

.PHONY: bench
bench: all
	$(BIN)/harness net

# Each build is made by a make of its own; one prove runs what they made, so there is one closing line.
# What a sanitizer cannot change is run once; a script named long-* waits for check-all.
ONCE = copylib-%.sh harness-setup.sh harness-tree.sh harness-loop-counts.sh \
	harness-kernel-files.sh netbench-parse-tshark.sh netbench-fuzz.sh
NO_TEST = harness-tap.sh harness-each.sh harness-perf.sh harness-kernels.sh
programs = $(addprefix $(1)/test/,$(filter-out $(2),$(notdir $(TESTS) $(SCRIPTS))))
LONG_TESTS := $(foreach script,$(notdir $(SCRIPTS)),$(if $(findstring -long-,$(script)),$(script)))
LONG = $(addprefix $(TEST)/,$(LONG_TESTS))
SHORT = $(call programs,$(BUILD),$(NO_TEST) $(LONG_TESTS)) \
	$(call programs,$(BUILD)-address,$(NO_TEST) $(LONG_TESTS) $(ONCE)) \
	$(call programs,$(BUILD)-thread,$(NO_TEST) $(LONG_TESTS) $(ONCE) harness-%)
# Most of them wait for a second to pass most of the time.
PROVE = CMOCKA_MESSAGE_OUTPUT=TAP prove --jobs 4 --failures --comments --timer \
	--exec $(TEST)/harness-each.sh

.PHONY: check-build check check-all
check-build:
	$(MAKE) all tests
	$(MAKE) SANITIZE=address all tests
	$(MAKE) SANITIZE=thread all tests
	$(MAKE) CC=clang all tests
	-$(MAKE) $(FUZZER)
check: check-build
	$(PROVE) $(SHORT)
check-all: check-build
	-$(BIN)/harness board build
	$(PROVE) $(SHORT) $(LONG)

# By libFuzzer, which is clang's; without it there is nothing to be fuzzed with.
FUZZER := $(BUILD)/fuzz/packet
FUZZ_SOURCES := netbench/test/fuzz_packet.c $(PACKET_SOURCES)
$(FUZZER): $(FUZZ_SOURCES) $(wildcard netbench/packet/*.h)
	@mkdir -p $(@D)
	clang -std=gnu11 $(WARNINGS) -I. -O1 -g $(SANITIZE_address) -fsanitize=fuzzer -o $@ $(FUZZ_SOURCES)
FUZZ_SECONDS ?= 3600
.PHONY: fuzz
fuzz: $(FUZZER)
	@mkdir -p $(BUILD)/fuzz/corpus
	cd $(BUILD)/fuzz && ./packet -max_total_time=$(FUZZ_SECONDS) -max_len=400 -timeout=5 corpus

.PHONY: check-kernels
check-kernels: all tests
	$(TEST)/harness-kernels.sh

.PHONY: perf
perf: all tests
	$(TEST)/harness-perf.sh

# The virtual board's tree is the sysroot of the cross build too; harness board build makes both.
.PHONY: board sysroot
board: all
	$(BIN)/harness board build
	$(BIN)/harness board boot
sysroot: all
	$(BIN)/harness board build tree

.PHONY: install
install: all
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/share/netbench/configs
	install $(PROGRAMS) $(DESTDIR)$(PREFIX)/bin
	install -d $(DESTDIR)$(PREFIX)/lib
	install $(PRELOAD) $(COUNTER) $(DESTDIR)$(PREFIX)/lib
	install -m 644 configs/*.ini $(DESTDIR)$(PREFIX)/share/netbench/configs
	cd copylib/kernel && find . -type f -exec install -D -m 644 {} \
		$(abspath $(DESTDIR)$(PREFIX))/share/netbench/kernel/{} \;

.PHONY: clean
clean:
	rm -rf build

-include $(patsubst %.c,$(BUILD)/plugin/%.d,$(COUNTER_SOURCES)) $(patsubst %.o,%.d, \
	$(call objects,$(COPYLIB_SOURCES) $(NETBENCH_SOURCES) $(HARNESS_SOURCES) \
	$(TEST_SOURCES) netbench/main.c harness/main.c) $(PRELOAD_OBJECTS) $(JUDGE_OBJECTS) \
	$(BUILD)/judge/harness/test/mutants/mutants.o \
	$(BUILD)/judge/harness/test/instructions/instructions.o)

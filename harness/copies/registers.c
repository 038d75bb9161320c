/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Calls with values in all registers that must be kept. See registers.h. The offsets in the
 * assembly are those of struct registers_call.
 *
 * Sources: System V Application Binary Interface, AMD64 supplement, 3.2.1; RISC-V calling
 * convention, integer registers. The alignment check: Intel 64 architecture, volume 3, 7.15, vector
 * 17, which Linux makes SIGBUS with BUS_ADRALN.
 */
#define _GNU_SOURCE /* REG_EFL */
#include "harness/copies/registers.h"

#include <signal.h>
#include <ucontext.h>

#if defined(__x86_64__)

#define ALIGNMENT_CHECK 0x40000

/*
 * Six registers are given six values, and r15's is on the stack's too, so that a stack pointer that
 * comes back wrong is seen. The alignment check is on from the last moment before the call to the
 * first after it; what is pushed is aligned.
 */
__asm__(".text\n"
	".globl	registers_call\n"
	".type	registers_call, @function\n"
	"registers_call:\n"
	"	pushq	%rbx\n"
	"	pushq	%rbp\n"
	"	pushq	%r12\n"
	"	pushq	%r13\n"
	"	pushq	%r14\n"
	"	pushq	%r15\n"
	"	pushq	%rdi\n"
	"	movq	0(%rdi), %rax\n"
	"	movq	16(%rdi), %rsi\n"
	"	movq	24(%rdi), %rdx\n"
	"	movq	48(%rdi), %rcx\n"
	"	movq	8(%rdi), %rdi\n"
	"	movq	$0x5eed0001, %rbx\n"
	"	movq	$0x5eed0002, %rbp\n"
	"	movq	$0x5eed0003, %r12\n"
	"	movq	$0x5eed0004, %r13\n"
	"	movq	$0x5eed0005, %r14\n"
	"	movq	%rsp, %r15\n"
	"	testq	%rcx, %rcx\n"
	"	jz	1f\n"
	"	pushfq\n"
	"	orq	$0x40000, (%rsp)\n"
	"	popfq\n"
	"1:	call	*%rax\n"
	"	pushfq\n"
	"	popq	%rcx\n"
	"	movq	%rcx, %rdx\n"
	"	andq	$-0x40001, %rcx\n"
	"	pushq	%rcx\n"
	"	popfq\n"
	"	andq	$0x400, %rdx\n" /* the direction flag: must be clear */
	"	xorq	$0x5eed0001, %rbx\n"
	"	orq	%rbx, %rdx\n"
	"	xorq	$0x5eed0002, %rbp\n"
	"	orq	%rbp, %rdx\n"
	"	xorq	$0x5eed0003, %r12\n"
	"	orq	%r12, %rdx\n"
	"	xorq	$0x5eed0004, %r13\n"
	"	orq	%r13, %rdx\n"
	"	xorq	$0x5eed0005, %r14\n"
	"	orq	%r14, %rdx\n"
	"	xorq	%rsp, %r15\n"
	"	orq	%r15, %rdx\n"
	"	cld\n"
	"	popq	%rdi\n"
	"	movq	%rax, 32(%rdi)\n"
	"	movq	%rdx, 40(%rdi)\n"
	"	popq	%r15\n"
	"	popq	%r14\n"
	"	popq	%r13\n"
	"	popq	%r12\n"
	"	popq	%rbp\n"
	"	popq	%rbx\n"
	"	ret\n"
	".size	registers_call, . - registers_call\n");

bool registers_can_trap(void)
{
	return true;
}

bool registers_was_trap(int signal_code, void *context)
{
	ucontext_t *interrupted = context;

	/* Below the red zone, which the caller's frame may use. */
	__asm__ volatile("lea	-128(%%rsp), %%rsp\n\t"
			 "pushfq\n\t"
			 "andq	$-0x40001, (%%rsp)\n\t"
			 "popfq\n\t"
			 "lea	128(%%rsp), %%rsp"
			 :
			 :
			 : "memory", "cc");
	if (signal_code != BUS_ADRALN)
		return false;
	interrupted->uc_mcontext.gregs[REG_EFL] &= ~(greg_t)ALIGNMENT_CHECK;
	return true;
}

#else

bool registers_can_trap(void)
{
	return false;
}

bool registers_was_trap(int signal_code, void *context)
{
	(void)signal_code;
	(void)context;
	return false;
}

#if defined(__riscv)

/* s0 to s11 have values of their own, the stack pointer's goes into s11's. */
__asm__(".text\n"
	".globl	registers_call\n"
	".type	registers_call, @function\n"
	"registers_call:\n"
	"	addi	sp, sp, -128\n"
	"	sd	ra, 0(sp)\n"
	"	sd	a0, 8(sp)\n"
	"	sd	gp, 112(sp)\n"
	"	sd	tp, 120(sp)\n"
	".irp	n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11\n"
	"	sd	s\\n, 16 + 8 * \\n(sp)\n"
	"	li	s\\n, 0x5eed00 + \\n\n"
	".endr\n"
	"	mv	s11, sp\n"
	"	ld	t0, 0(a0)\n"
	"	ld	a1, 16(a0)\n"
	"	ld	a2, 24(a0)\n"
	"	ld	a0, 8(a0)\n"
	"	jalr	t0\n"
	"	xor	t1, s11, sp\n"
	".irp	n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10\n"
	"	li	t0, 0x5eed00 + \\n\n"
	"	xor	t0, t0, s\\n\n"
	"	or	t1, t1, t0\n"
	".endr\n"
	"	ld	t0, 120(sp)\n"
	"	xor	t0, t0, tp\n"
	"	or	t1, t1, t0\n"
	"	ld	a1, 8(sp)\n"
	"	sd	a0, 32(a1)\n"
	"	sd	t1, 40(a1)\n"
	"	ld	ra, 0(sp)\n"
	".irp	n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11\n"
	"	ld	s\\n, 16 + 8 * \\n(sp)\n"
	".endr\n"
	"	addi	sp, sp, 128\n"
	"	ret\n"
	".size	registers_call, . - registers_call\n");

#else

/* What must be kept here is not written down: nothing is looked at. */
void registers_call(struct registers_call *call)
{
	uintptr_t (*routine)(uintptr_t, uintptr_t, uintptr_t) =
		(uintptr_t (*)(uintptr_t, uintptr_t, uintptr_t))call->routine;

	call->returned = routine(call->arguments[0], call->arguments[1], call->arguments[2]);
	call->changed = 0;
}

#endif
#endif

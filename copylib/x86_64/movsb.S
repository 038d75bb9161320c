/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * movsb: rep movsb and rep stosb, whose microcode picks the width. memmove runs backward where the
 * buffers overlap the wrong way, which the microcode does byte by byte.
 */
#include "copylib/function.h"

	function movsb_memcpy
	mov	%rdi, %rax
	mov	%rdx, %rcx
	rep movsb
	ret
	end_function movsb_memcpy

	function movsb_memmove
	mov	%rdi, %rax
	mov	%rdx, %rcx
	sub	%rsi, %rdi
	cmp	%rdx, %rdi
	mov	%rax, %rdi
	jb	1f
	rep movsb
	ret
1:	lea	-1(%rdi, %rdx), %rdi
	lea	-1(%rsi, %rdx), %rsi
	std
	rep movsb
	cld
	ret
	end_function movsb_memmove

	function movsb_memset
	mov	%rdi, %r8
	mov	%esi, %eax
	mov	%rdx, %rcx
	rep stosb
	mov	%r8, %rax
	ret
	end_function movsb_memset

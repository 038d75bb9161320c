/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Variants that are added while the program runs: from a shared object for this machine, or by a
 * caller that has routines from elsewhere.
 *
 * A shared object may define any of memcpy, memmove, memset, these with two underscores before
 * them, and a kernel's __asm_copy_to_user, __asm_copy_from_user and __clear_user; one suffices. Its
 * user copies have fix-ups in a section copylib_fixups (see usercopy.h) or, for riscv64,
 * __ex_table.
 */
#ifndef COPYLIB_ADDED_H
#define COPYLIB_ADDED_H

#include "copylib/copylib.h"

#define COPY_ADDED_MAX	  16
#define COPY_ADDED_SUFFIX "-from" /* of a second variant, where the two user copies differ */

/** The symbols that are looked for, in words. */
#define COPY_ADDED_SYMBOLS                                                             \
	"memcpy, memmove, memset, __memcpy, __memmove, __memset, __asm_copy_to_user, " \
	"__asm_copy_from_user, __clear_user"

/** May stand before each of them: a name that takes nobody's place when it is linked. */
#define COPY_ADDED_PREFIX "added_"

/** The function that a symbol of such an object stands for; 0: it is another symbol. */
unsigned int copy_added_function(const char *symbol, bool *copies_from_user);

/**
 * Makes a variant known by its name; *variant is copied, what it points to must stay. NULL: why
 * says why not: the name is taken or no name, or there are too many.
 */
const struct copy_variant *copy_variant_add(const struct copy_variant *variant, char *why,
					    size_t why_bytes);

/** What a shared object has; functions that it has not are NULL. */
struct copy_library {
	copy_memcpy_fn *memcpy;
	copy_memmove_fn *memmove;
	copy_memset_fn *memset;
	copy_usercopy_fn *usercopy;
	copy_usercopy_fn *usercopy_from; /* NULL too if it is the same as the other */
	copy_clearuser_fn *clearuser;
};

/**
 * Loads a shared object, which stays loaded, and makes its fix-ups known. It is trusted as any code
 * is that one loads: what is broken inside may end the program. False: why says what is wrong.
 */
bool copy_library_open(struct copy_library *library, const char *path, char *why, size_t why_bytes);

/** The set of functions that it has. */
unsigned int copy_library_functions(const struct copy_library *library);

/**
 * Adds the variant NAME, and NAME-from where the user copies differ, from a loaded object.
 * architectures, functions: as in struct copy_variant, where there may be more than this machine
 * has. False: why says why not.
 */
bool copy_library_add(const struct copy_library *library, const char *name, const char *summary,
		      unsigned int architectures, unsigned int functions, bool has_from, char *why,
		      size_t why_bytes);

/** Both of them, for "FILE.so" or "FILE.so=NAME" as users write it. */
bool copy_variant_add_file(const char *text, char *why, size_t why_bytes);

/** The name in such a text: after "=", else that of the file without folder and ending. */
void copy_added_name(const char *text, char *path, size_t path_bytes, char *name,
		     size_t name_bytes);

#endif

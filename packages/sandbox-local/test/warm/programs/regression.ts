import { program, type TestProgram } from '../program.ts'

// Parts of the interpreter's own regression tests that are quick and do not depend on the machine's load.
const names =
  'test_abc test_atexit test_augassign test_baseexception test_bool test_builtin test_call test_class test_closures test_code test_codeop test_complex test_context test_contextlib test_copy test_coroutines test_decorators test_defaultdict test_enumerate test_errno test_except_star test_exception_variations test_exceptions test_fileio test_float test_fork1 test_frame test_functools test_future test_gc test_generators test_genexps test_global test_grammar test_import test_int test_isinstance test_iter test_keyword test_linecache test_list test_module test_opcodes test_operator test_pkgutil test_popen test_print test_property test_pulldom test_raise test_range test_reprlib test_richcmp test_runpy test_sched test_scope test_shlex test_slice test_sort test_stat test_string test_structseq test_super test_syntax test_sys test_sys_setprofile test_sys_settrace test_textwrap test_thread test_threading_local test_traceback test_tuple test_types test_typing test_unary test_unpack test_warnings test_weakref test_weakset test_with test_yield_from'.split(
    ' ',
  )

/** The interpreter's own regression tests, where it ships with them: every test's verdict must be the same. */
export const regression: readonly TestProgram[] = names.map((name) =>
  program(
    `test.${name}`,
    'import sys, unittest',
    'try:',
    `    import test.support, test.${name} as module`,
    'except (ImportError, unittest.SkipTest) as error:',
    '    print(error); sys.exit()',
    'test.support.verbose = 0',
    'suite = unittest.defaultTestLoader.loadTestsFromModule(module)',
    'result = unittest.TextTestRunner(verbosity=2, buffer=True).run(suite)',
    'sys.exit(not result.wasSuccessful())',
  ),
)

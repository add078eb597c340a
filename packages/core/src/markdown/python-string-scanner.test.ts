import { expect, test } from 'vitest'
import { PythonStringScanner } from './python-string-scanner.ts'

test.each([
  ['"""', true],
  ["'''", true],
  ['"""Docs."""', false],
  ['x = """a', true],
  ['x = r"""a\\"""', true],
  ['x = f"""{a}', true],
  ["x = rb'''a", true],
  ['x = "a" + """b', true],
  ['x = ""', false],
  ['x = "" """', true],
  ['x = "\\"""', false],
  ['# """', false],
  ['x = "#" """', true],
  ["x = \"'''\"", false],
  ['x = \'"""\'', false],
  ['x = "unterminated', false],
  ["x = '''\"\"\"'''", false],
  ['x = \'\'\'"""', true],
  ['"""a\nb"""', false],
  ['"""a\nb\\"""', true],
  ['"""a\\\n"""', false],
  ['x = \'a\\\n\' """', true],
  ['x = \'a\\\n"""', false],
  ["x = 'a\\\nb'", false],
  ["it's\n'''", true],
  ['"""a"""\n"""b', true],
  ["'''a\n# '''", false],
])('%j leaves a triple-quoted string open: %s', (program, open) => {
  const scanner = new PythonStringScanner()
  for (const line of program.split('\n')) scanner.next(line)
  expect(scanner.open).toBe(open)
})

import { execFileSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { stepsOff } from '../src/kernel/setup-code.ts'
import { pythonCall } from '../src/python-source.ts'
import { anyPython } from './support.ts'

const folder = join(import.meta.dirname, '..', 'python')
const files = readdirSync(folder).map((name) => join(folder, name))

const ofTests = join(import.meta.dirname, 'python')
const lint = join(import.meta.dirname, '../../../testing/python/lint.py')

function inPython(...command: string[]): string {
  return execFileSync('python3', command, { encoding: 'utf8' })
}

describe.skipIf(anyPython.missing)('the Python of kernels', () => {
  test('is a program of Python 3.9 with no unknown name and no import that it does not use', () => {
    const found = inPython(lint, '9', ...files)
    expect(found).toBe('')
    expect(inPython(lint, '9', join(ofTests, 'faulty.py')).split('\n')).toEqual([
      'faulty.py: unknown name missing in install',
      'faulty.py: unused import os in install',
      '',
    ])
  })

  test('is called with any values, and leaves no name behind', () => {
    const steps = [
      ['done', 'def install(text): assert text == "ä\\"\\\\\\n😀"', { text: 'ä"\\\n😀' }],
      ['off', 'def install():\n    missing', {}],
      ['wrong', 'def', {}],
    ]
    const call = pythonCall('kernel_setup', [steps])
    const value = inPython(
      '-c',
      `before = set(globals())\nvalue = ${call}\nprint(repr(value))
assert set(globals()) - before == {'before', 'value'}`,
    )
    expect(stepsOff(value.trim())?.steps).toMatchObject([
      { name: 'off', reason: "NameError: name 'missing' is not defined" },
      { name: 'wrong', reason: expect.stringMatching(/^SyntaxError: /) },
    ])
  })
})

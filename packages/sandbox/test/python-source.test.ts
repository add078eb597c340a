import { execFileSync } from 'node:child_process'
import { globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { session } from '../src/embedded.ts'
import { runnerSource } from '../src/runner-command.ts'
import { python, pythonPath } from './python.ts'

const lint = join(import.meta.dirname, '../../../testing/python/lint.py')
const folder = join(import.meta.dirname, '../python')

test.skipIf(python.missing)(
  'the Python of sandboxes has the syntax of Python 3.8 and neither unknown names nor unused imports',
  () => {
    const temporary = mkdtempSync(join(tmpdir(), 'fenced-python-source-'))
    onTestFinished(() => rmSync(temporary, { recursive: true }))
    const runner = join(temporary, 'runner.py')
    // The runner becomes the keeper of a session when the host sends the rest.
    writeFileSync(runner, runnerSource + session)
    const files = globSync('*.py', { cwd: folder }).map((name) => join(folder, name))
    expect(files).not.toEqual([])
    const found = execFileSync(pythonPath, [lint, '8', runner, ...files], { encoding: 'utf8' })
    // `runnerCommand` sets the first name. The text after `tools.py` sets the others.
    expect(found.trimEnd().split('\n')).toEqual([
      'runner.py: unknown name counts_of_a_start in set_collector_back',
      'tools.py: unknown name __all__ in search',
      'tools.py: unknown name _connection in _call',
    ])
  },
)

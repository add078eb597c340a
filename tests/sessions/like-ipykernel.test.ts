// @module-tag nightly

import { join } from 'node:path'
import type { BlockResult, CodeExecutor } from '@fenced/core'
import { JupyterCodeExecutor } from '@fenced/executor-jupyter'
import { LocalCommandLineCodeExecutor } from '@fenced/executor-local'
import { requirement } from '@fenced/testing'
import { describe, expect, it } from 'vitest'
import { knownDifferences } from './known-differences.ts'
import { allSequences } from './sequences.ts'

const folder = process.env.FENCED_TEST_JUPYTER
const jupyter = requirement('jupyter', folder ? undefined : 'FENCED_TEST_JUPYTER names no environment')
const python = join(folder ?? '', 'bin', 'python')

/** What a reader of a result sees, without addresses, names of directories, pictures and the layout of tracebacks. */
function seen({ status, exitCode, stdout, results, error }: BlockResult, directory: string) {
  return {
    status,
    exitCode,
    stdout: stdout.replaceAll(directory, 'DIRECTORY'),
    results: results.map(({ kind, data, executionCount }) => ({
      kind,
      types: Object.keys(data).toSorted(),
      text: String(data['text/plain']).replaceAll(/0x[0-9a-f]+|id=\d+/g, '0x'),
      executionCount,
    })),
    error: error && {
      name: error.name,
      message: error.message,
      frames: error.traceback
        .filter(({ file }) => /^(block|cell) /.test(file))
        .map(({ file, line, function: name }) => [file, line, name ?? '']),
    },
  }
}

async function resultsOf(executor: CodeExecutor, cells: readonly string[]) {
  const results: ReturnType<typeof seen>[] = []
  for (const code of cells) {
    const { blocks } = await executor.execute([{ language: 'python', code }], { timeoutMs: 60_000 })
    if (blocks[0] !== undefined) results.push(seen(blocks[0], executor.workDir ?? ''))
  }
  return results
}

describe.skipIf(jupyter.missing || process.platform !== 'linux')('a session and ipykernel', () => {
  it.each([...allSequences])('%s', async (name, cells) => {
    await using session = new LocalCommandLineCodeExecutor({ python, stateful: true })
    await using kernel = new JupyterCodeExecutor({ python: folder })
    const [ours, theirs] = await Promise.all([resultsOf(session, cells), resultsOf(kernel, cells)])
    const known = knownDifferences.get(name)
    if (known === undefined) expect(ours).toEqual(theirs)
    else expect(ours, `They are equal now, so this difference is to be removed: ${known}`).not.toEqual(theirs)
  })

  it('differ in nothing but sequences that are run', () => {
    expect([...knownDifferences.keys()].filter((name) => !allSequences.has(name))).toEqual([])
  })
})

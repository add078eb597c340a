import { execFileSync } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { numberOfCases } from '@fenced/testing'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fenced } from './command.ts'
import { jupyter, jupyterPython } from './requirements.ts'

const id = fc.constantFrom('a', 'b')
const text = fc.stringMatching(/^[a-z<>"'\\ é\n]{0,12}$/).map((each) => JSON.stringify(each))

/** A statement of a cell. */
const statement = fc.oneof(
  text.map((each) => `print(${each})`),
  text.map((each) => `print(${each}, end='', file=sys.stderr)`),
  text.map((each) => `display(HTML(${each}))`),
  text.map((each) => `display({'text/plain': ${each}}, raw=True, metadata={'text/plain': {'width': 3}})`),
  fc.tuple(text, id).map(([each, name]) => `display(${each}, display_id='${name}')`),
  fc.tuple(text, id).map(([each, name]) => `update_display(${each}, display_id='${name}')`),
  fc.boolean().map((waits) => `clear_output(wait=${waits ? 'True' : 'False'})`),
  text.map((each) => `if ${each}: raise ValueError(${each})`),
)

const cell = fc.record({
  statements: fc.array(statement, { maxLength: 5 }),
  value: fc.option(fc.oneof(text, fc.constant('None'), fc.constant('1; '), fc.constant('HTML("<b>x</b>")'))),
  tags: fc.constantFrom([], [], [], ['skip-execution'], ['raises-exception'], ['mine', 'raises-exception']),
})

const notebook = fc.record({
  cells: fc.array(cell, { minLength: 6, maxLength: 12 }),
  allowErrors: fc.boolean(),
})

type Notebook = typeof notebook extends fc.Arbitrary<infer Value> ? Value : never

const imports = 'import sys\nfrom IPython.display import HTML, clear_output, display, update_display'

function written({ cells }: Notebook): string {
  const sources = [
    imports,
    ...cells.map(({ statements, value }) => [...statements, value ?? 'pass'].join('\n')),
  ]
  const tags = [[], ...cells.map((each) => each.tags)]
  return JSON.stringify({
    nbformat: 4,
    nbformat_minor: 5,
    metadata: { kernelspec: { display_name: 'Python', language: 'python', name: 'python3' } },
    cells: sources.map((source, index) => ({
      ...{ cell_type: 'code', id: `c${index}`, source, metadata: { tags: tags[index] } },
      ...{
        execution_count: 90,
        outputs: [{ output_type: 'stream', name: 'stdout', text: 'of another run' }],
      },
    })),
  })
}

const nbclient = `
import sys, nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError
notebook = nbformat.read(sys.argv[1], 4)
try:
    NotebookClient(notebook, allow_errors=sys.argv[3] == 'True').execute()
except CellExecutionError:
    pass
nbformat.write(notebook, sys.argv[2])
`

interface Output {
  readonly output_type: string
  readonly name?: string
  readonly text?: string | string[]
  readonly data?: Record<string, string | string[]>
  readonly ename?: string
}

const joined = (value: string | string[] = '') => (typeof value === 'string' ? value : value.join(''))

/**
 * Without what two runs of a kernel can differ in. A timer of 0.2 s decides when it sends what stands in its buffers, one for each
 * stream, so between two other outputs the order of stdout and stderr is open. Frames and colors of tracebacks differ, too.
 */
function comparable(outputs: readonly Output[]): object[] {
  const found: { [key: string]: unknown }[] = []
  let streams = new Map<string | undefined, string>()
  const endStreams = () => {
    for (const name of [...streams.keys()].sort()) found.push({ name, text: streams.get(name) })
    streams = new Map()
  }
  for (const { output_type, name, text, data = {}, ename, ...rest } of outputs) {
    if (output_type === 'stream') {
      streams.set(name, `${streams.get(name) ?? ''}${stripVTControlCharacters(joined(text))}`)
      continue
    }
    endStreams()
    if (output_type === 'error') found.push({ output_type, ename })
    else {
      const joinedData = Object.fromEntries(Object.entries(data).map(([type, each]) => [type, joined(each)]))
      found.push({ output_type, data: joinedData, ...rest })
    }
  }
  endStreams()
  return found
}

async function cellsOf(path: string): Promise<object[]> {
  const { cells } = JSON.parse(await readFile(path, 'utf8'))
  return cells.map(({ outputs, execution_count }: { outputs: Output[]; execution_count: number | null }) => ({
    ...{ execution_count, outputs: comparable(outputs) },
  }))
}

describe.skipIf(jupyter.missing)('fenced notebook', () => {
  it('writes the outputs that nbclient writes, for random notebooks', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'fenced-notebooks-'))
    const [input, ours, theirs] = ['in', 'ours', 'theirs'].map((name) =>
      join(directory, `${name}.ipynb`),
    ) as [string, string, string]
    try {
      await fc.assert(
        fc.asyncProperty(notebook, async (given) => {
          await writeFile(input, written(given))
          const allow = given.allowErrors ? 'True' : 'False'
          execFileSync(jupyterPython, ['-c', nbclient, input, theirs, allow], {
            cwd: directory,
            stdio: 'ignore',
          })
          const options = given.allowErrors ? ['--allow-errors'] : []
          const { stderr } = await fenced([
            'notebook',
            input,
            '-o',
            ours,
            '--python',
            jupyterPython,
            ...options,
          ])
          // Failed cells are reported. Nothing else is.
          const others = stderr.split('\n').filter((line) => line !== '' && !line.startsWith('fenced: '))
          expect(others).toEqual([])
          expect(await cellsOf(ours)).toEqual(await cellsOf(theirs))
        }),
        { endOnFailure: true, numRuns: numberOfCases({ usual: 2, nightly: 25 }) },
      )
    } finally {
      await rm(directory, { recursive: true })
    }
  })
})

import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beside } from '../beside.ts'
import { compare } from '../compare.ts'
import type { Row } from '../row.ts'
import { scratchDirectory } from '../scratch-directory.ts'
import { goal } from './goal.ts'
import type { Language } from './language.ts'
import { runNode, startNode } from './node-process.ts'
import { Programs } from './programs.ts'
import { WaitingNode } from './waiting-node.ts'

/** A model writes between two blocks. */
const pauseMs = 200

/** The shortest program, by a Node that starts in one of several ways. */
export async function startsRows(language: Language, rounds: number): Promise<Row[]> {
  const { options, extension } = language
  await using scratch = await scratchDirectory()
  const programs = new Programs(scratch.path, language)
  const snapshot = await buildSnapshot(scratch.path)
  const cache = { env: { NODE_COMPILE_CACHE: join(scratch.path, 'cache') } }
  const knownProgram = programs.new()
  await using stack = new AsyncDisposableStack()
  let waiting = new WaitingNode(language)
  stack.defer(() => waiting[Symbol.asyncDispose]())
  const startNext = async () => {
    waiting = new WaitingNode(language)
  }
  const { bare, ...others } = await compare({
    rounds,
    warmUpRounds: 1,
    pauseMs,
    contenders: {
      bare: () => runNode([...options, programs.new()]),
      'startup snapshot': () => runNode([...options, '--snapshot-blob', snapshot, programs.new()]),
      'compile cache': () => runNode([...options, programs.new()], cache),
      'compile cache, the same program again': () => runNode([...options, knownProgram], cache),
      [`a Node that waits, after ${pauseMs} ms`]: async () => {
        await waiting.run(programs.new())
        return { [Symbol.asyncDispose]: startNext }
      },
    },
  })
  return Object.entries(others).flatMap(([name, ours]) =>
    beside({ measured: `.${extension}: ${name} ÷ bare \`node\``, ours, reference: bare, goal }),
  )
}

/** One in which that is loaded which printing into a pipe needs. */
async function buildSnapshot(directory: string): Promise<string> {
  const entry = join(directory, 'snapshot.cjs')
  const blob = join(directory, 'snapshot.blob')
  await writeFile(entry, `require('node:net')\n`)
  const printed = await startNode(['--snapshot-blob', blob, '--build-snapshot', entry]).printed
  if (printed !== '') throw new Error(`No snapshot was built:\n${printed}`)
  return blob
}

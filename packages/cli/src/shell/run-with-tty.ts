import { text } from 'node:stream/consumers'
import { type CodeBlock, createLanguageTable, exitCodes, extractCodeBlocks } from '@fenced/core'
import type { ExecutorSandbox } from '@fenced/core/sandbox'
import { milliseconds } from '../executor-options.ts'
import { note } from '../run/output-printer.ts'
import type { RunOptions } from '../run/run-command.ts'
import { readText } from '../streams.ts'
import { UserError } from '../user-error.ts'
import { runInTerminal } from './in-terminal.ts'
import { withTerminal } from './with-terminal.ts'

/** Runs the programs of a text one after another in the user's terminal, until one fails. @returns the exit code of the last. */
export async function runWithTty(path: string, options: RunOptions): Promise<number> {
  checkOptions(path, options)
  const markdown = await text(readText(path))
  const blocks = extractCodeBlocks(markdown, { startsInReasoning: options.reasoning })
  return withTerminal(options, {
    name: '--tty',
    async work(sandbox, signal) {
      if (blocks.length === 0) await note('There is no code block.')
      for (const [index, block] of blocks.entries()) {
        const exitCode = await runBlock(sandbox, { ...block, number: index + 1 }, { signal, ...options })
        if (exitCode !== 0) return exitCode
      }
      return 0
    },
  })
}

/** The program has the terminal: nothing else can be asked or printed there. */
function checkOptions(path: string, { json, ask, ledger, port, network, stateful }: RunOptions): void {
  const others = {
    '--json': json,
    '--ask': ask,
    '--ledger': ledger,
    '--port': port,
    '--stateful': stateful,
    '--network ask': network?.asks,
  }
  const taken = Object.entries(others).find(([, value]) => value !== undefined && value !== false)
  if (taken !== undefined) throw new UserError(`--tty cannot be used with ${taken[0]}. Remove one of them.`)
  if (path === '-') throw new UserError('--tty needs a file, because programs read the keys of the terminal.')
}

async function runBlock(
  sandbox: ExecutorSandbox,
  { language: name, code, number }: CodeBlock & { readonly number: number },
  { signal, timeout }: Pick<RunOptions, 'timeout'> & { readonly signal: AbortSignal },
): Promise<number> {
  const language = createLanguageTable().find(name)
  if (language?.kind !== 'run') {
    await note(`Block ${number} (${name}) is not a program, so it is skipped.`)
    return 0
  }
  const { commands = [], extension } = language
  const programs = await sandbox.which(commands.map(([program = '']) => program))
  const found = commands.find(([program = '']) => programs.has(program))
  if (found === undefined) {
    await note(`Block ${number} did not run: the sandbox has no interpreter for ${language.id}.`)
    return exitCodes.notFound
  }
  const [program = '', ...words] = found
  const file = `./.fenced-tty-${number}.${extension}`
  await sandbox.files.write(file, code, { signal })
  const limit = timeout === undefined ? undefined : AbortSignal.timeout(milliseconds(timeout) ?? 0)
  const ending = limit === undefined ? signal : AbortSignal.any([signal, limit])
  try {
    const exitCode = await runInTerminal(sandbox, [programs.get(program) ?? program, ...words, file], ending)
    return limit?.aborted && !signal.aborted ? exitCodes.timeout : exitCode
  } finally {
    await sandbox.files.remove(file)
  }
}

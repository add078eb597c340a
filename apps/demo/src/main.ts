// A model writes programs, an executor runs them, and you decide about each. Begin with `converse`.

import { mkdtemp, readFile, rmdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { parseArgs } from 'node:util'
import { AssistantAgent, UserProxyAgent } from '@fenced/agents'
import { type CodeExecutor, extractCodeBlocks } from '@fenced/core'
import { showPicture, showRun, TerminalHumanInput } from '@fenced/terminal'
import { createExecutor, type ExecutorName, executorNames, problemOf } from './executors.ts'
import { outcome, scriptedModel, task } from './scripted-model.ts'

const usage = `Fenced runs the code that a model writes.

  pnpm demo                      a conversation: failing code, its repair, a picture
  pnpm demo --executor docker    the same in a container (--image NAME); with jupyter, in a kernel
  pnpm demo --answer answer.md   runs the code blocks of a file (- is standard input), only in isolation
  pnpm demo web                  the conversation on a page
`

/** A model writes programs. An executor runs them after you agree. @returns whether the task was solved. */
async function converse(executor: CodeExecutor, signal: AbortSignal): Promise<boolean> {
  const isAsked = process.stdin.isTTY === true && process.stdout.isTTY === true
  introduce(executor, isAsked)
  const assistant = new AssistantAgent({ name: 'assistant', model: scriptedModel({ isTyping: isAsked }) })
  const you = new UserProxyAgent({
    name: 'you',
    codeExecutionConfig: { executor },
    humanInputMode: isAsked ? 'always' : 'never',
    humanInput: new TerminalHumanInput({ words: 'plain' }),
  })
  const conversation = you.initiateChat(assistant, { message: task, signal })
  const { messages, humanInput } = await showRun(conversation, { showFile: showPicture })
  return humanInput.at(-1) === 'exit' || messages.at(-1)?.content === outcome
}

/** Runs the code blocks of an answer that a model gave earlier. @returns whether all of them succeeded. */
async function runAnswer(executor: CodeExecutor, answer: string, signal: AbortSignal): Promise<boolean> {
  const blocks = extractCodeBlocks(answer)
  console.log(`The programs run ${placeOf(executor)}.\n`)
  const { status } = await showRun(executor.execute(blocks, { signal }), { blocks, showFile: showPicture })
  return status === 'ok'
}

function introduce(executor: CodeExecutor, isAsked: boolean): void {
  const keys = `  Enter     runs the program that is shown
  a text    answers the model
  exit      ends the conversation
  Ctrl-C    stops the program that runs, and ends\n`
  console.log(`Fenced runs the code that a model writes.

  model     is scripted: it needs no key and no network
  programs  really run, ${placeOf(executor)}
  files     stay in ${executor.workDir}

${isAsked ? keys : 'This is not a terminal: all programs run without a question.\n'}`)
}

function placeOf({ capabilities: { isolation, network } }: CodeExecutor): string {
  if (isolation === 'none') return 'on this machine, not isolated: they can do what you can do'
  const where = isolation === 'bubblewrap' ? isolation : `a ${isolation}`
  return `in ${where}, ${network === 'none' ? 'without network' : 'with a network'}`
}

type Given = Readonly<Record<'answer' | 'image', string | undefined>>

/** Makes an executor in a new directory, and works with it. An empty directory is removed at the end. */
async function inExecutor(name: ExecutorName, { answer, image }: Given, signal: AbortSignal) {
  const workDir = await mkdtemp(join(tmpdir(), 'fenced-demo-'))
  try {
    // The demo knows its own programs, so they may run on a machine without bubblewrap. No other program may.
    const problem = answer === undefined ? await problemOf('local', { workDir, signal }) : undefined
    const isolation = problem?.code === 'ISOLATION_UNAVAILABLE' ? 'none' : 'bubblewrap'
    await using executor = await createExecutor(name, { workDir, isolation, image, signal })
    await executor.start({ signal, onNotice: ({ message }) => console.error(message) })
    return answer === undefined ? await converse(executor, signal) : await runAnswer(executor, answer, signal)
  } finally {
    await rmdir(workDir).catch(() => console.log(`\nThe files stay in ${workDir}`))
  }
}

async function main(argv: readonly string[], signal: AbortSignal): Promise<boolean> {
  const { values, positionals } = parseArgs({
    args: argv.filter((argument) => argument !== '--'),
    allowPositionals: true,
    options: {
      help: { type: 'boolean', short: 'h' },
      executor: { type: 'string', default: 'local' },
      image: { type: 'string' },
      answer: { type: 'string' },
    },
  })
  const name = executorNames.find((known) => known === values.executor)
  if (name === undefined) throw new Error(`--executor must be ${executorNames.join(', ')}.`)
  if (values.help) return process.stdout.write(usage)
  if (positionals.join() === 'web') return (await import('./web.ts')).serve(signal)
  if (positionals.length > 0) throw new Error(`Unknown command: ${positionals.join(' ')}.\n\n${usage}`)
  const answer = values.answer === undefined ? undefined : await readAnswer(values.answer)
  return await inExecutor(name, { answer, image: values.image }, signal)
}

/** pnpm starts the demo at the root of the clone. The path is relative to where it was typed. */
function readAnswer(path: string): Promise<string> {
  if (path === '-') return text(process.stdin)
  return readFile(resolve(process.env.INIT_CWD ?? '.', path), 'utf8')
}

const stop = new AbortController()
let stopCode: number | undefined
const end = (exitCode: number) => () => {
  stopCode ??= exitCode
  stop.abort()
}
process.on('SIGINT', end(130)).on('SIGTERM', end(143)).on('SIGHUP', end(129))
// A reader such as `head` left.
process.stdout.on('error', end(141))

try {
  const isGood = await main(process.argv.slice(2), stop.signal)
  process.exitCode = stopCode ?? (isGood ? 0 : 1)
} catch (error) {
  process.exitCode = stopCode ?? 2
  if (stopCode === undefined) console.error(`demo: ${error instanceof Error ? error.message : error}`)
}

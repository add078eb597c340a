import { AssistantAgent, type ChatResult, UserProxyAgent } from '@fenced/agents'
import { endsWithTermination } from '@fenced/agents/termination'
import type { CodeExecutor, CodeResult } from '@fenced/core'
import { showPicture, showRun, TerminalHumanInput } from '@fenced/terminal'
import type { LanguageModel } from 'ai'
import { StoppableExecutor } from './stoppable-executor.ts'
import { undoInput } from './undo-input.ts'

/** Who talks about what, and where their programs run. */
export interface Conversation {
  /** The person types it if it is absent. */
  readonly task: string | undefined
  readonly model: LanguageModel
  readonly pictures?: boolean
  readonly reasoning?: boolean
  readonly executor: CodeExecutor
  /** Whether the person decides about each program. */
  readonly asks: boolean
  readonly signal: AbortSignal
  /** Ends the conversation as Ctrl-C does, where Ctrl-C arrives as a key. */
  readonly interrupt: () => void
}

/** Most programs in a row without a question. */
const mostRuns = 20

/** Holds a conversation and shows it. @returns whether it ended well. */
export async function converse({
  task,
  model,
  pictures = false,
  reasoning = false,
  executor,
  asks,
  signal,
  interrupt,
}: Conversation): Promise<boolean> {
  const stoppable = new StoppableExecutor(executor)
  const assistant = new AssistantAgent({ name: 'assistant', model, pictures, startsInReasoning: reasoning })
  const person = new TerminalHumanInput({ words: 'plain' })
  const user = new UserProxyAgent({
    name: 'user',
    humanInput: undoInput(person, stoppable),
    humanInputMode: asks ? 'always' : 'never',
    maxConsecutiveAutoReply: mostRuns,
    codeExecutionConfig: { executor: stoppable },
  })
  // A terminal without questions is left unchanged: Ctrl-C is a signal there.
  using _key = asks ? onInterruptKey(process.stdin, () => stoppable.stopBlocks() || interrupt()) : undefined
  const message = task ?? (await askForTask(person, signal))
  if (message === 'exit') return true
  const running = user.initiateChat(assistant, { message, signal })
  return endedWell(await showRun(running, { showFile: showPicture }), stoppable.lastResult)
}

async function askForTask(person: TerminalHumanInput, signal: AbortSignal): Promise<string> {
  const question = {
    kind: 'first-message',
    agent: 'user',
    choices: [],
    prompt: 'What is the task? ',
  } as const
  for (;;) {
    const text = await person.ask({ ...question, id: crypto.randomUUID() }, { signal })
    if (text.trim() === '') continue
    process.stdout.write('\n')
    return text
  }
}

/** Whether the person ended it, or the model did after its last program ended well. */
function endedWell({ messages, humanInput }: ChatResult, lastRun: CodeResult | undefined): boolean {
  if (humanInput.at(-1) === 'exit') return true
  const last = messages.at(-1)
  const isFinished = last !== undefined && endsWithTermination(last)
  return isFinished && (lastRun === undefined || lastRun.status === 'ok')
}

/**
 * Calls `act` each time that Ctrl-C is pressed, until it is disposed of. The terminal hands every key to this process meanwhile: as
 * a signal Ctrl-C would reach pnpm as well, which passes it on a second time and then leaves.
 */
function onInterruptKey(terminal: NodeJS.ReadStream, act: () => void): Disposable {
  const onData = (chunk: Buffer | string) => {
    for (const key of chunk.toString()) if (key === interrupt) act()
  }
  // A terminal that was closed cannot be given back.
  const onError = () => {}
  terminal.on('error', onError)
  terminal.on('data', onData)
  terminal.setRawMode(true)
  return {
    [Symbol.dispose]() {
      terminal.off('data', onData)
      terminal.setRawMode(false)
      terminal.pause()
      terminal.off('error', onError)
    },
  }
}

const interrupt = '\x03'

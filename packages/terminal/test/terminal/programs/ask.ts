import { setTimeout as sleep } from 'node:timers/promises'
import { humanInputRequest } from '@fenced/agents/testing'
// @boundaries-ignore The default of agents; no package exports it.
import { ReadlineHumanInput } from '../../../../agents/src/human-input/readline-human-input.ts'
import { TerminalHumanInput } from '../../../src/human-input/terminal-human-input.ts'

// Asks as often as it is told to, and says what it heard. It ends because nothing is left to do, not by `exit()`.
const { QUESTIONS = '1', ON_SIGNAL = 'abort', IS_BUSY = '', PROMPT = 'answer: ' } = process.env
const controller = new AbortController()
// The default of agents, without the options of a terminal.
const human = process.env.DEFAULT === '1' ? new ReadlineHumanInput() : new TerminalHumanInput()
const before = listeners()

process.on('SIGINT', () => process.stdout.write('signal\n'))
process.on('SIGHUP', () => {})
process.stdout.on('error', () => {})
process.on('SIGUSR2', () => {
  if (ON_SIGNAL === 'exit') process.exit(3)
  controller.abort(new Error('changed my mind'))
})

const asked: Promise<void>[] = []
for (let index = 1; index <= Number(QUESTIONS); index++) {
  const answered = human.ask(question(`${index} ${PROMPT}`), controller).then(
    (answer) => say({ answer }),
    (error) => say({ error: error.code ?? error.message }),
  )
  asked.push(answered)
  if (IS_BUSY === '' || index === Number(QUESTIONS)) continue
  await answered
  // Until this signal, when all has been typed that is typed meanwhile.
  const rest = new AbortController()
  process.once('SIGCONT', () => rest.abort())
  process.stdout.write('busy\n')
  await sleep(60_000, undefined, rest).catch(() => {})
}
await Promise.all(asked)
say({ newListeners: listeners().filter((name, index) => before[index] !== name) })

function question(prompt: string) {
  return humanInputRequest({ kind: 'reply', agent: 'agent', prompt })
}

function listeners(): string[] {
  return [process.stdin, process.stdout].flatMap((stream) =>
    ['data', 'end', 'close', 'keypress', 'newListener', 'readable', 'resize'].flatMap((name) =>
      Array<string>(stream.listenerCount(name)).fill(name),
    ),
  )
}

function say(fact: object): void {
  process.stdout.write(`<${JSON.stringify(fact)}>\n`)
}

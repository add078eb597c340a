import { describe, expect, it } from 'vitest'
import { partsOf } from '../agent/agent-parts.ts'
import { eventsOf, speaker } from '../agent/agents.fixture.ts'
import type { AgentEvent } from '../event.ts'
import { ScriptedHumanInput } from '../testing/scripted-human-input.ts'
import { EchoExecutor, fence } from './echo-executor.fixture.ts'

const prompts: Readonly<Record<string, string>> = {
  A: "Replying as me. Provide feedback to partner. Press enter to skip and use auto-reply, or type 'exit' to end the conversation: ",
  B: "Please give feedback to partner. Press enter or type 'exit' to stop the conversation: ",
  C: "Please give feedback to partner. Press enter to skip and use auto-reply, or type 'exit' to stop the conversation: ",
  D: "partner wants to end the conversation with code. Press enter to run it and stop, type 'exit' to stop without running it, or give feedback: ",
}

const messages: Readonly<Record<string, string>> = {
  plain: 'go on',
  end: 'That is all.\nTERMINATE',
  code: `${fence('python', 'last')}\n\nTERMINATE`,
}

/**
 * Count is how often it has answered by itself in a row, of how often it may. Told are the events `no-human-input` and
 * `auto-reply`. It says something (auto: by itself; ran: what came of the code) or stops.
 */
const table = `
  ID    | mode      | count  | message | typed   | asked | told      | says    | count after
  CA-30 | always    | 0 of 5 | plain   | ""      | A     | none auto | auto    | 1
  CA-30 | always    | 2 of 5 | plain   | ""      | A     | none auto | auto    | 3
  CA-31 | always    | 2 of 5 | end     | ""      | A     | none      | stop    | 0
  CA-31 | always    | 3 of 1 | end     | ""      | A     | none      | stop    | 0
  CA-31 | always    | 0 of 0 | end     | ""      | A     | none      | stop    | 0
  CA-32 | always    | 2 of 5 | plain   | "exit"  | A     |           | stop    | 0
  CA-32 | always    | 2 of 5 | end     | "exit"  | A     |           | stop    | 0
  CA-32 | always    | 2 of 1 | plain   | "exit"  | A     |           | stop    | 0
  CA-32 | always    | 1 of 5 | plain   | "Exit"  | A     |           | "Exit"  | 0
  CA-32 | always    | 1 of 5 | plain   | "exit " | A     |           | "exit " | 0
  CA-33 | always    | 0 of 0 | plain   | ""      | A     | none      | ""      | 0
  CA-34 | always    | 2 of 5 | plain   | "short" | A     |           | "short" | 0
  CA-34 | always    | 2 of 5 | end     | "short" | A     |           | "short" | 0
  CA-34 | always    | 2 of 1 | plain   | "short" | A     |           | "short" | 0
  CA-34 | always    | 0 of 0 | plain   | "short" | A     |           | "short" | 0
  CA-35 | always    | 1 of 1 | plain   | ""      | A     | none auto | auto    | 2
  CA-35 | always    | 3 of 1 | plain   | ""      | A     | none auto | auto    | 4
  CA-36 | terminate | 0 of 1 | plain   |         |       | auto      | auto    | 1
  CA-36 | terminate | 2 of 3 | plain   |         |       | auto      | auto    | 3
  CA-37 | terminate | 1 of 5 | end     | ""      | B     | none      | stop    | 0
  CA-37 | terminate | 1 of 5 | end     | "exit"  | B     |           | stop    | 0
  CA-38 | terminate | 1 of 5 | end     | "short" | B     |           | "short" | 0
  CA-39 | terminate | 1 of 1 | end     | ""      | B     | none      | stop    | 0
  CA-39 | terminate | 1 of 1 | end     | "exit"  | B     |           | stop    | 0
  CA-39 | terminate | 0 of 0 | end     | ""      | B     | none      | stop    | 0
  CA-39 | terminate | 1 of 1 | end     | "short" | B     |           | "short" | 0
  CA-40 | terminate | 1 of 1 | plain   | ""      | C     | none auto | auto    | 2
  CA-40 | terminate | 3 of 1 | plain   | ""      | C     | none auto | auto    | 4
  CA-40 | terminate | 0 of 0 | plain   | ""      | C     | none      | ""      | 0
  CA-41 | terminate | 1 of 1 | plain   | "exit"  | C     |           | stop    | 0
  CA-41 | terminate | 1 of 1 | plain   | "short" | C     |           | "short" | 0
  CA-42 | never     | 1 of 1 | plain   |         |       |           | stop    | 0
  CA-42 | never     | 0 of 0 | plain   |         |       |           | stop    | 0
  CA-42 | never     | 1 of 5 | end     |         |       |           | stop    | 0
  CA-42 | never     | 1 of 1 | end     |         |       |           | stop    | 0
  CA-43 | never     | 0 of 1 | plain   |         |       |           | auto    | 1
  CA-43 | never     | 3 of 4 | plain   |         |       |           | auto    | 4
  D-45  | never     | 0 of 5 | code    |         |       |           | ran     | 1
  D-45  | never     | 1 of 1 | code    |         |       |           | stop    | 0
  D-45  | never     | 0 of 0 | code    |         |       |           | stop    | 0
  D-45  | terminate | 1 of 5 | code    | ""      | D     | none auto | ran     | 2
  D-45  | terminate | 1 of 1 | code    | ""      | D     | none auto | ran     | 2
  D-45  | terminate | 0 of 0 | code    | ""      | D     | none auto | ran     | 1
  D-45  | terminate | 1 of 5 | code    | "exit"  | D     |           | stop    | 0
  D-45  | terminate | 1 of 5 | code    | "short" | D     |           | "short" | 0
  D-45  | always    | 1 of 5 | code    | ""      | D     | none auto | ran     | 2
  D-45  | always    | 0 of 0 | code    | ""      | D     | none auto | ran     | 1
  D-45  | always    | 1 of 5 | code    | "exit"  | D     |           | stop    | 0
  D-45  | always    | 1 of 5 | code    | "short" | D     |           | "short" | 0
`

/** With `runBeforeTermination: false` such a message is like any other that ends the conversation. */
const tableWithoutLastRun = `
  ID    | mode      | count  | message | typed   | asked | told      | says    | count after
  D-45  | never     | 1 of 5 | code    |         |       |           | stop    | 0
  D-45  | terminate | 1 of 5 | code    | ""      | B     | none      | stop    | 0
  D-45  | always    | 1 of 5 | code    | ""      | A     | none      | stop    | 0
  D-45  | always    | 1 of 5 | code    | "short" | A     |           | "short" | 0
`

describe('who is asked, and what comes of it', () => {
  it('CA-30 to CA-43, D-45: by mode, count, message and input', ({ everyRow }) =>
    everyRow(rowsOf(table), async (_, row) => {
      expect(await driven(row)).toEqual(expectedOf(row))
    }))

  it('D-45: with runBeforeTermination off', ({ everyRow }) =>
    everyRow(rowsOf(tableWithoutLastRun), async (_, row) => {
      expect(await driven(row, { runBeforeTermination: false })).toEqual(expectedOf(row))
    }))

  it('D-45: code of a last message is not run when lastNMessages is 0', async () => {
    const executor = new EchoExecutor()
    const me = speaker('me', ['auto'], { codeExecutionConfig: { executor, lastNMessages: 0 } })
    const chat = await speaker('partner').initiateChat(me, { message: messages.code })
    expect([chat.messages.length, executor.ran]).toEqual([1, []])
  })
})

interface Row {
  readonly mode: 'always' | 'terminate' | 'never'
  readonly count: number
  readonly maximum: number
  readonly message: string
  readonly typed: string | undefined
  readonly asked: string
  readonly told: readonly string[]
  readonly says: string
  readonly after: number
}

function rowsOf(text: string): [title: string, row: Row][] {
  return text
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => {
      const [id, mode, of = '', message = '', typed = '', asked = '', told = '', says = '', after] = line
        .split('|')
        .map((cell) => cell.trim())
      const [count, maximum] = of.split(' of ').map(Number)
      const row: Row = {
        mode: mode as Row['mode'],
        count: count as number,
        maximum: maximum as number,
        message,
        typed: typed === '' ? undefined : JSON.parse(typed),
        asked,
        told: told === '' ? [] : told.split(' '),
        says,
        after: Number(after),
      }
      return [`${id}: ${mode}, ${of}, ${message}${typed === '' ? '' : `, typed ${typed}`}`, row]
    })
}

const saidBy: Readonly<Record<string, string | null>> = {
  auto: 'answered by itself',
  ran: 'exitcode: 0 (execution succeeded)\nCode output: \nlast\n',
  stop: null,
}
const toldBy: Readonly<Record<string, string>> = { none: 'no-human-input', auto: 'auto-reply' }

function expectedOf({ typed, asked, told, says, after }: Row) {
  return {
    prompts: asked === '' ? [] : [prompts[asked]],
    answers: typed === undefined ? [] : [typed],
    told: [
      ...(asked === '' ? [] : ['human-input-requested', 'human-input-answered']),
      ...told.map((word) => toldBy[word]),
    ],
    says: says in saidBy ? saidBy[says] : JSON.parse(says),
    endsHere: says === 'stop' || says === 'ran',
    after,
  }
}

const decisions: readonly string[] = [
  'human-input-requested',
  'human-input-answered',
  'no-human-input',
  'auto-reply',
] satisfies AgentEvent['type'][]

/** Speaks with a real agent until it has answered by itself as often as the row says; then comes the row's message. */
async function driven(
  { mode, count, maximum, message, typed }: Row,
  codeExecution: { readonly runBeforeTermination?: boolean } = {},
) {
  const earlier = Array.from({ length: count }, () => 'go on')
  const earlierAnswers = earlier
    .filter((_, before) => mode === 'always' || (mode === 'terminate' && before >= maximum))
    .map(() => '')
  const person = new ScriptedHumanInput([...earlierAnswers, ...(typed === undefined ? [] : [typed])])
  const me = speaker('me', () => saidBy.auto, {
    humanInputMode: mode,
    maxConsecutiveAutoReply: maximum,
    humanInput: person,
    codeExecutionConfig: { executor: new EchoExecutor(), ...codeExecution },
  })
  const [first = '', ...rest] = [...earlier, messages[message] ?? '']
  const partner = speaker('partner', rest)
  const chat = partner.initiateChat(me, { message: first })
  const events = await eventsOf(chat)
  const tested = events.filter(({ type }) => type === 'message')[2 * count] as AgentEvent
  const behind = events.slice(events.indexOf(tested) + 1)
  return {
    prompts: person.requests.slice(earlierAnswers.length).map(({ prompt }) => prompt),
    answers: events
      .flatMap((event) => (event.type === 'human-input-answered' ? [event.text] : []))
      .slice(earlierAnswers.length),
    told: behind.map(({ type }) => type).filter((type) => decisions.includes(type)),
    says: behind.find((event) => event.type === 'message')?.message.content ?? null,
    endsHere: (await chat).stopReason !== 'partner has no reply.',
    after: partsOf(me).conversations.with(partner).autoReplies,
  }
}

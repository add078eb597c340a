import { extractCodeBlocks } from '@fenced/core'
import { expect, it } from 'vitest'
import { answerParts } from '../page/src/answer-parts.ts'
import { stateOf } from '../page/src/block-state.ts'
import { type ShareChoices, sharedConversation } from '../page/src/shared-conversation.ts'
import { ConversationView } from '../page/src/view.ts'
import type { ConversationEvent, LoggedCodeEvent } from '../src/event.ts'
import { program } from './served.ts'

/** A page that has received these events. */
function viewOf(...events: readonly ConversationEvent[]): ConversationView {
  const view = new ConversationView()
  const createdAt = new Date(0).toISOString()
  for (const [index, event] of events.entries()) view.take({ seq: index + 1, createdAt, event })
  return view
}

function answer(id: string, text: string): ConversationEvent[] {
  return [
    { type: 'answer-start', answerId: id, model: 'm' },
    { type: 'text-delta', answerId: id, text },
    { type: 'answer-end', answerId: id, complete: true },
    { type: 'code-start', runId: `run ${id}`, of: id, blocks: extractCodeBlocks(text) },
  ]
}

function code(id: string, event: LoggedCodeEvent): ConversationEvent {
  return { type: 'code', runId: `run ${id}`, event }
}

function asked(id: string, text: string): ConversationEvent {
  const blocks = extractCodeBlocks(text)
  const target = { description: 'here', executor: 'local', isolation: 'none', network: 'open' }
  const request = {
    kind: 'code',
    id: `question ${id}`,
    blocks,
    target: { ...target, workDir: '/home/ada/work' },
  }
  return { type: 'approval-requested', runId: `run ${id}`, digest: '', request: request as never }
}

const ran = (id: string, text: string, output: string): ConversationEvent[] => [
  ...answer(id, text),
  asked(id, text),
  {
    ...{ type: 'approval-answered', runId: `run ${id}`, requestId: `question ${id}` },
    ...{ answer: { decision: 'allow' }, remembered: false },
  } as ConversationEvent,
  code(id, { type: 'block-start', index: 0, block: extractCodeBlocks(text)[0] as never }),
  code(id, { type: 'stdout', index: 0, text: output }),
  code(id, { type: 'block-end', index: 0, status: 'ok', exitCode: 0, durationMs: 1, notices: [] }),
  {
    ...{ type: 'code-end', runId: `run ${id}`, content: '' },
    result: { status: 'ok', exitCode: 0, durationMs: 1 },
  } as ConversationEvent,
]

it('a later version of a program knows the earlier one, if that has run', () => {
  const first = program('import os\nimport sys\nprint(1)')
  const second = program('import os\nimport sys\nprint(2)')
  const earlierOf = (view: ConversationView) => {
    const item = view.items.at(-1)
    return item?.type === 'answer' ? item.run?.blocks[0]?.earlier?.block.code : undefined
  }
  expect(earlierOf(viewOf(...ran('a', first, ''), ...answer('b', second)))).toContain('print(1)')
  // One that was never run has not been read, so its changes would say nothing.
  expect(earlierOf(viewOf(...answer('a', first), ...answer('b', second)))).toBeUndefined()
  expect(earlierOf(viewOf(...ran('a', program('print(1)'), ''), ...answer('b', second)))).toBeUndefined()
})

it('runs can be undone until they are undone, or their state is lost', () => {
  const kept = (id: string, ...before: readonly ConversationEvent[]) =>
    ran(id, program('x = 1'), '').flatMap((event) =>
      event.type === 'code-start' ? [{ ...event, canUndo: true as const }, ...before] : [event],
    )
  const both = [...kept('a'), ...kept('b')]
  expect(viewOf(...both).undoable).toEqual(['run a', 'run b'])
  expect(viewOf(...ran('a', program('x = 1'), '')).undoable).toEqual([])
  const denied = kept('c').filter(({ type }) => type !== 'code')
  expect(viewOf(...both, ...denied).undoable).toEqual(['run a', 'run b'])
  const undone: ConversationEvent = { type: 'undo', runIds: ['run b'], content: 'Undone.' }
  expect(viewOf(...both, undone).undoable).toEqual(['run a'])
  const notice = { code: 'state-lost', message: 'Lost.' }
  const lost = code('c', { type: 'notice', notice } as LoggedCodeEvent)
  expect(viewOf(...both, ...kept('c', lost)).undoable).toEqual(['run c'])
})

it('programs that a person left out keep their places, and are not run', () => {
  const text = ['one', 'two', 'three'].map((each) => program(`print("${each}")`, { prose: each })).join('\n')
  const [, , third] = extractCodeBlocks(text)
  const view = viewOf(...answer('a', text), asked('a', text), {
    ...{ type: 'approval-answered', runId: 'run a', requestId: 'question a', remembered: false },
    answer: { decision: 'edit', blocks: [{ language: 'python', code: third?.code ?? '' }] },
  } as ConversationEvent)
  const item = view.items.at(-1)
  if (item?.type !== 'answer') throw new Error('It is not an answer.')
  const blocks = answerParts(item).filter((part) => typeof part !== 'string')
  expect(blocks.map((block) => [block.block.code.trim(), stateOf(block, item.run).words])).toEqual([
    ['print("one")', 'not run: left out by the person'],
    ['print("two")', 'not run: left out by the person'],
    ['print("three")', 'waiting'],
  ])
})

const all: ShareChoices = { output: true, pictures: true, reasoning: true, redacted: [] }
const secret = `sk-${'a1'.repeat(20)}`

function shared(choices: Partial<ShareChoices>) {
  const events = ran(
    'a',
    `<think>secret plans</think>\n\n${program(`key = "${secret}"`, { prose: 'For Ada.' })}`,
    `in /home/ada/work/data.csv of Ada\nBearer ${'x'.repeat(20)}\n`,
  )
  const view = viewOf({ type: 'message', messageId: 'm', content: `Ada asks with ${secret}` }, ...events)
  return sharedConversation({ title: 'Of Ada', view }, { ...all, ...choices })
}

it('what is shared has no credentials and no path of the working directory', () => {
  const text = JSON.stringify(shared({}))
  expect(text).not.toContain(secret)
  expect(text).not.toContain('/home/ada')
  expect(text).toContain('in ./data.csv of Ada')
  expect(shared({}).counts).toEqual({
    ...{ messages: 1, answers: 1, programs: 1, outputs: 1, pictures: 0 },
    // The message, the program and its output.
    redactions: 3,
  })
})

it('texts that the person names are replaced everywhere, also in the title', () => {
  const { title, items, counts } = shared({ redacted: ['Ada'] })
  expect(title).toBe('Of [redacted]')
  expect(JSON.stringify(items)).not.toContain('Ada')
  expect(counts.redactions).toBe(7)
})

it('output and reasoning are left out where the person does not choose them', () => {
  expect(JSON.stringify(shared({ reasoning: false }))).not.toContain('secret plans')
  expect(shared({ output: false }).counts.outputs).toBe(0)
})

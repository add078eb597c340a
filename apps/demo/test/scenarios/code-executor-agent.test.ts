import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type AgentEvent, CodeExecutorAgent } from '@fenced/agents'
import { ScriptedModel } from '@fenced/agents/testing'
import { LocalCommandLineCodeExecutor } from '@fenced/executor-local'
import { processesLeft, uniqueSeconds } from '@fenced/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fenced } from './programs.ts'

const workDir = await mkdtemp(join(tmpdir(), 'fenced-code-executor-agent-'))
const executor = new LocalCommandLineCodeExecutor({ workDir })
beforeAll(() => writeFile(join(workDir, 'prices.csv'), 'price\n3\n4\nnone\n'))
afterAll(async () => {
  await executor.stop()
  await rm(workDir, { recursive: true, force: true })
})

const decision = (reason: string) => JSON.stringify({ reason, retry: true })

const script = [
  `I read the table.\n\n${fenced('python', 'print(sum(float(line) for line in open("price.csv")))')}`,
  decision('The file is called otherwise; look which ones are there.'),
  fenced(
    'python',
    'import glob\nname = glob.glob("*.csv")[0]\nprint(sum(float(line) for line in list(open(name))[1:]))',
  ),
  decision('One line holds no number; leave such lines out.'),
  fenced(
    'python',
    '# filename: total.py\ntotal = 0\nfor line in list(open("prices.csv"))[1:]:\n    if line.strip().isdigit():\n        total += int(line)\nprint(total)',
  ),
  'The prices sum up to 7.',
]

function coder(answers: readonly string[]) {
  const model = new ScriptedModel(answers)
  return {
    model,
    agent: new CodeExecutorAgent({ name: 'coder', executor, model, maxRetriesOnError: 2 }),
  }
}

async function itemsOf(running: AsyncIterable<AgentEvent>) {
  const items: AgentEvent[] = []
  for await (const item of running) items.push(item)
  return items
}

/** Pieces that follow each other count once. */
function outline(items: readonly AgentEvent[]): string[] {
  return items
    .map((item) => ('retryAttempt' in item ? `${item.type} ${item.retryAttempt}` : item.type))
    .filter((name, index, names) => name !== names[index - 1])
}

const chunk = 'text-delta'

describe('SC-13: an agent with a model on this machine', () => {
  it('writes, runs, mends twice for different reasons, and says what came of it, all of it as it happens', async () => {
    const { agent, model } = coder(script)
    const items = await itemsOf(agent.run({ task: 'What do the prices sum up to?' }))
    const attempt = (number: number) => [
      ...[chunk, `code-generated ${number}`, `code ${number}`, `code-end ${number}`],
    ]
    expect(outline(items.filter(({ type }) => type !== 'usage'))).toEqual([
      'task-start',
      'message',
      ...attempt(0),
      'code-generated 0',
      ...attempt(1),
      'code-generated 1',
      ...attempt(2),
      chunk,
      'message',
      'task-end',
    ])
    const results = items.flatMap((item) => (item.type === 'code-end' ? [item.result] : []))
    expect(results.map(({ status }) => status)).toEqual(['error', 'error', 'ok'])
    expect(results.map(({ output }) => output)).toEqual([
      expect.stringContaining('FileNotFoundError'),
      expect.stringContaining("could not convert string to float: 'none"),
      '7\n',
    ])
    expect(items.at(-2)).toMatchObject({ message: { content: 'The prices sum up to 7.' } })
    expect(items.at(-1)).toMatchObject({ result: { status: 'done' } })
    expect(model.prompts).toHaveLength(6)
    expect(await readdir(workDir)).toEqual(expect.arrayContaining(['prices.csv', 'total.py']))
  })

  it('asks for a different approach when the shell fails the same way in another file', async () => {
    const { agent, model } = coder([
      ...[fenced('sh', 'nosuchprogram'), decision('Once more.')],
      ...[fenced('sh', '# Again.\nnosuchprogram'), decision('Another one.')],
      ...[fenced('sh', 'echo done'), 'Done.'],
    ])
    await agent.run({ task: 'Do it.' })
    const decided = [1, 3].map((call) => JSON.stringify(model.prompts[call]))
    expect(decided.map((prompt) => prompt.includes('different approach'))).toEqual([false, true])
  })

  it.each(['aborted', 'left'])('ends a program and all that it has started when it is %s', async (how) => {
    const seconds = uniqueSeconds()
    const { agent } = coder([fenced('sh', `sleep ${seconds} & echo begun; sleep ${seconds}`), 'I see.'])
    const stop = new AbortController()
    const running = agent.run({ task: 'Wait.', signal: stop.signal })
    for await (const item of running) {
      if (item.type !== 'code' || item.event.type !== 'stdout') continue
      if (how === 'left') break
      stop.abort()
    }
    const { status, events } = await running
    expect(status).toBe('cancelled')
    expect(events.at(-1)).toMatchObject({ type: 'code-end', result: { status: 'cancelled' } })
    expect(await processesLeft(`sleep ${seconds}`)).toEqual([])
    const next = await agent.run({ task: 'What happened?' })
    expect(next.messages.at(-1)).toMatchObject({ content: 'I see.' })
  })
})

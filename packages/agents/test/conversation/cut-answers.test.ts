import { ToolLoopAgent } from 'ai'
import { expect, it } from 'vitest'
import { contentsOf, eventsOf, eventsOfType, historyOf, speaker } from '../../src/agent/agents.fixture.ts'
import { CodeExecutorAgent } from '../../src/code-executor-agent/code-executor-agent.ts'
import { AssistantAgent, UserProxyAgent } from '../../src/conversable-agent/presets.ts'
import { finish, mockModel, says, speaks } from '../../src/model/mock-model.fixture.ts'
import { EchoExecutor, fence } from '../../src/reply/echo-executor.fixture.ts'
import { asChatAgent } from '../../src/team/as-chat-agent.ts'

const cut = (text: string) => [...speaks(text), finish({ reason: 'length' })]
const before = fence('sh', 'one')
const half = `Two steps.\n\n${before}\n\nThen:\n\n\`\`\`sh\ntwo`
const rest = `${fence('sh', 'two\nthree')}\n\nDone.`

/** Part of what a model reads about a block without an end. */
const almostClosed = 'The answer was cut off at its token limit.'

/** A writer whose model is cut off, and an agent that runs its code. */
function pairOf(...scripts: Parameters<typeof mockModel>[1][]) {
  const model = mockModel('short', ...scripts)
  const executor = new EchoExecutor()
  const writer = new AssistantAgent({ name: 'writer', model })
  const user = new UserProxyAgent({
    name: 'user',
    humanInputMode: 'never',
    codeExecutionConfig: { executor },
  })
  return { model, executor, writer, user }
}

const lastPrompt = ({ doStreamCalls }: ReturnType<typeof mockModel>, call: number) =>
  JSON.stringify(doStreamCalls[call]?.prompt.at(-1))

it('a block without an end is asked for again, and the programs before it are run once', async () => {
  const { model, executor, writer, user } = pairOf(cut(half), says(rest), says('TERMINATE'))
  const chat = user.initiateChat(writer, { message: 'Begin.' })
  const events = await eventsOf(chat)
  expect(executor.ran).toEqual(['one', 'two\nthree'])
  expect(lastPrompt(model, 1)).toContain('cut off at its token limit. The block in line 9 has no end')
  expect(contentsOf((await chat).messages)[1]).toBe(`Two steps.\n\n${before}\n\nThen:\n\n${rest}`)
  expect(eventsOfType(events, 'notice').map(({ notice }) => notice)).toMatchObject([
    { code: 'answer-cut', data: { model: 'short' } },
  ])
  expect(historyOf(writer, user).map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant'])
})

it('a text goes on where it stopped', async () => {
  const { model, writer } = pairOf(cut('The sum is'), says(' 5050.'))
  const { text: said } = await speaker('a').initiateChat(writer, { message: 'Begin.', maxTurns: 1 })
  expect(said).toBe('The sum is 5050.')
  expect(lastPrompt(model, 1)).toContain('Continue exactly where it stopped')
})

it('an answer that is cut off twice is called cut, for the model and for people', async () => {
  const { model, executor, writer, user } = pairOf(cut(half), cut('```sh\ntwo\nthr'), says('No.\nTERMINATE'))
  const chat = user.initiateChat(writer, { message: 'Begin.' })
  const events = await eventsOf(chat)
  const { messages } = await chat
  expect(model.doStreamCalls).toHaveLength(3)
  expect(executor.ran).toEqual(['one'])
  expect(messages[1]?.metadata).toEqual({ isCut: true })
  expect(eventsOfType(events, 'code-start')[0]?.blocks.at(-1)).toMatchObject({ closed: false, almostClosed })
  const alone = pairOf(cut('The sum'), cut(' is'))
  const { stopReason } = await alone.user.initiateChat(alone.writer, { message: 'Begin.', maxTurns: 1 })
  expect(stopReason).toContain('cut off at its token limit')
})

it('a summary goes on where it stopped', async () => {
  const { writer } = pairOf(says('One.'), cut('They'), says(' agree.'))
  const chat = { message: 'Begin.', maxTurns: 1, summaryMethod: 'reflection_with_llm' } as const
  expect((await speaker('a').initiateChat(writer, chat)).summary).toBe('They agree.')
})

it('a CodeExecutorAgent asks once to continue as well', async () => {
  const executor = new EchoExecutor()
  const model = mockModel('short', cut(half), says(rest), cut('It said'), says(' three.'))
  const agent = new CodeExecutorAgent({ name: 'coder', executor, model })
  const { text: said, events, stopReason } = await agent.run('Begin.')
  expect(executor.ran).toEqual(['one', 'two\nthree'])
  expect([said, stopReason]).toEqual(['It said three.', undefined])
  expect(eventsOfType(events, 'notice').map(({ notice }) => notice.code)).toEqual([
    'answer-cut',
    'answer-cut',
  ])

  const twice = mockModel('short', cut(half), cut('```sh\ntwo\nthr'), says('It failed.'))
  const other = new CodeExecutorAgent({ name: 'coder', executor: new EchoExecutor(), model: twice })
  const run = await other.run('Begin.')
  expect(lastPrompt(twice, 2)).toContain('State the outcome')
  const [written] = eventsOfType(run.events, 'code-generated')
  expect(written?.codeBlocks.at(-1)).toMatchObject({ closed: false, almostClosed })
})

it('an agent of the AI SDK in a team is asked once to continue as well', async () => {
  const model = mockModel('short', cut('The sum is'), says(' 5050.'), cut('It'), cut(' is'))
  const agent = asChatAgent(new ToolLoopAgent({ id: 'writer', model }))
  const first = await agent.run('Begin.')
  expect(first.text).toBe('The sum is 5050.')
  expect(eventsOfType(first.events, 'notice')).toMatchObject([{ notice: { code: 'answer-cut' } }])
  expect(lastPrompt(model, 1)).toContain('Continue exactly where it stopped')
  const { messages } = await agent.run('Again.')
  expect([contentsOf(messages).at(-1), messages.at(-1)?.metadata?.isCut]).toEqual(['It is', true])
})

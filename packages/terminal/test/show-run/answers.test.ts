import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { stripVTControlCharacters } from 'node:util'
import { AssistantAgent, CodeExecutorAgent, UserProxyAgent } from '@fenced/agents'
import { ScriptedModel } from '@fenced/agents/testing'
import { describe, expect, it } from 'vitest'
// @boundaries-ignore Tests of the agents use it as well; no package exports it.
import { speaker } from '../../../agents/src/agent/agents.fixture.ts'
// @boundaries-ignore Tests of the agents use it as well; no package exports it.
import { finish, mockModel, says, speaks } from '../../../agents/src/model/mock-model.fixture.ts'
// @boundaries-ignore Tests of the agents use it as well; no package exports it.
import { EchoExecutor, fence } from '../../../agents/src/reply/echo-executor.fixture.ts'
import { consoleView } from '../../src/console/console-view.ts'
import { plainTheme } from '../../src/console/theme.ts'
import { MessageWriter } from '../../src/show-run/message-writer.ts'
import { ProgramList } from '../../src/show-run/program-list.ts'
import { showRun } from '../../src/show-run/show-run.ts'

async function shownBy(show: (output: PassThrough) => PromiseLike<unknown>): Promise<string> {
  const output = new PassThrough()
  const [shown] = await Promise.all([text(output), Promise.resolve(show(output)).finally(() => output.end())])
  return shown
}

describe.each(['think', 'thinking', 'thought'])('a draft in <%s>', (tag) => {
  const answer = `<${tag}>\nPerhaps so:\n${fence('python', 'the draft')}\nNo.\n</${tag}>\n${fence('python', 'the program')}`

  it.each([
    ['showRun', showRun],
    ['consoleView', consoleView],
  ])('is shown by %s with the whole answer', async (_, show) => {
    const model = new ScriptedModel([answer, 'Done.\nTERMINATE'])
    const codeExecutionConfig = { executor: new EchoExecutor() }
    const user = new UserProxyAgent({ name: 'user', humanInputMode: 'never', codeExecutionConfig })
    const chat = user.initiateChat(new AssistantAgent({ name: 'assistant', model }), { message: 'Go.' })
    const shown = await shownBy((output) => show(chat, { output }))
    expect(shown).toContain('the draft')
    expect(shown).toContain('the program')
  })

  it('is shown with the program of an agent that writes code itself', async () => {
    const model = new ScriptedModel([answer, 'It is done.'])
    const run = new CodeExecutorAgent({ name: 'coder', executor: new EchoExecutor(), model }).run('Go.')
    expect(await shownBy((output) => showRun(run, { output }))).toContain('the draft')
  })
})

it('a text that goes on is shown once', async () => {
  const cut = [...speaks('The sum is'), finish({ reason: 'length' })]
  const writer = new AssistantAgent({ name: 'writer', model: mockModel('short', cut, says(' 5050.')) })
  const chat = speaker('a').initiateChat(writer, { message: 'Begin.', maxTurns: 1 })
  const shown = await shownBy((output) => showRun(chat, { output }))
  expect(shown.match(/The sum is|cut off at its token limit|5050/g)).toEqual([
    'The sum is',
    'cut off at its token limit',
    '5050',
  ])
})

it('a long program is highlighted line by line, in time in proportion to its length', {
  tags: 'nightly',
}, () => {
  const lines = Array.from(
    { length: 500 },
    (_, index) => `print(f"value {values[${index}]:>10}")  # ${index}`,
  )
  const writer = new MessageWriter(new ProgramList(), plainTheme)
  const shown = writer.push(`\`\`\`python\n${lines.join('\n')}\n\`\`\`\n`) + writer.end()
  expect(stripVTControlCharacters(shown)).toContain(`    ${lines.at(-1)}\n`)
})

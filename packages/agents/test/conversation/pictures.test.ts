import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { codeExecutionTool } from '@fenced/core'
import { defineExecutor, HostWorkDirectory } from '@fenced/core/driver'
import { describe, expect, it, onTestFinished } from 'vitest'
import { historyOf, speaker } from '../../src/agent/agents.fixture.ts'
import { CodeExecutorAgent } from '../../src/code-executor-agent/code-executor-agent.ts'
import { AssistantAgent } from '../../src/conversable-agent/presets.ts'
import { textOf } from '../../src/message/message.ts'
import { toolResponsesOf } from '../../src/message/tool-parts.ts'
import { EchoExecutor, fence, picture } from '../../src/reply/echo-executor.fixture.ts'
import { asChatAgent } from '../../src/team/as-chat-agent.ts'
import { RoundRobinGroupChat } from '../../src/team/round-robin-group-chat.ts'
import { ScriptedModel } from '../../src/testing/scripted-model.ts'

const plot = fence('python', 'plot')
const png = { mediaType: 'image/png', data: picture }

/** The pictures of a prompt, by the message in which they stand. */
function picturesIn(model: ScriptedModel, call: number): number[] {
  const prompt = model.prompts[call] ?? []
  return prompt.map(({ content }) => JSON.stringify(content).split('"image/png"').length - 1)
}

const conversation = (options: { pictures?: boolean | { maxCount?: number; maxBytes?: number } }) => {
  const model = new ScriptedModel([`I plot.\n${plot}`, 'It rises.\nTERMINATE'])
  const assistant = new AssistantAgent({ name: 'assistant', model, ...options })
  const user = speaker('user', [], { codeExecutionConfig: { executor: new EchoExecutor() } })
  return { model, assistant, user, chat: user.initiateChat(assistant, { message: 'Plot.' }) }
}

describe('what code has plotted', () => {
  it('is given to the model of the partner, behind the text that names its file', async () => {
    const { model, assistant, user, chat } = conversation({ pictures: true })
    await chat
    const reply = historyOf(user, assistant)[2]
    const text = reply === undefined ? '' : textOf(reply)
    expect(text).toMatch(/^exitcode: 0/)
    expect(reply?.content).toMatchObject([{ type: 'text' }, { type: 'file', ...png }])
    expect(picturesIn(model, 1)).toEqual([0, 0, 0, 1])
    expect(model.prompts[1]?.at(-1)?.content).toMatchObject([
      { type: 'text', text },
      { type: 'file', mediaType: 'image/png' },
    ])
  })

  it('is text for a model that takes no pictures, and not kept', async () => {
    const { model, assistant, user, chat } = conversation({})
    await chat
    expect(historyOf(user, assistant).every(({ content }) => typeof content === 'string')).toBe(true)
    expect(picturesIn(model, 1)).toEqual([0, 0, 0, 0])
  })

  it('is not what a person shows, which reaches every model and all who hear it', async () => {
    const models = [new ScriptedModel(['I see.']), new ScriptedModel(['I see it too.'])] as const
    const [first, second] = models.map((model, n) => new AssistantAgent({ name: `reader${n}`, model }))
    const shown = [{ type: 'text', text: 'Look.' } as const, { type: 'file', ...png } as const]
    const participants = [first, second].flatMap((agent) => (agent === undefined ? [] : asChatAgent(agent)))
    const team = new RoundRobinGroupChat({ participants, maxTurns: 2 })
    await team.run({ task: { role: 'user', content: shown } })
    expect(models.map((model) => picturesIn(model, 0).at(-1))).toEqual([1, 1])
    const model = new ScriptedModel(['I see.\nTERMINATE'])
    await speaker('person').initiateChat(new AssistantAgent({ name: 'other', model }), {
      message: { content: shown },
    })
    expect(picturesIn(model, 0)).toEqual([0, 1])
  })

  it('is left out beyond the bound', async () => {
    const { model, chat } = conversation({ pictures: { maxBytes: 10 } })
    await chat
    expect(picturesIn(model, 1)).toEqual([0, 0, 0, 0])
  })

  it('is given to the model that wrote the program, and to the others of a team', async () => {
    const coderModel = new ScriptedModel([plot, 'It rises.'])
    const criticModel = new ScriptedModel(['So it does.'])
    const coder = new CodeExecutorAgent({
      name: 'coder',
      executor: new EchoExecutor(),
      model: coderModel,
      pictures: true,
    })
    const critic = new AssistantAgent({ name: 'critic', model: criticModel, pictures: true })
    const team = new RoundRobinGroupChat({ participants: [coder, asChatAgent(critic)], maxTurns: 2 })
    const { messages } = await team.run('Plot.')
    expect(picturesIn(coderModel, 1).at(-1)).toBe(1)
    expect(messages).toContainEqual(
      expect.objectContaining({
        content: [{ type: 'text', text: 'It rises.' }, expect.objectContaining({ type: 'file', ...png })],
      }),
    )
    expect(picturesIn(criticModel, 0).at(-1)).toBe(1)
    const again = new CodeExecutorAgent({
      name: 'coder',
      executor: new EchoExecutor(),
      model: new ScriptedModel([]),
      pictures: true,
    })
    await again.loadState(JSON.parse(JSON.stringify(await coder.saveState())))
    expect(await again.saveState()).toEqual(await coder.saveState())
  })

  it('is given by an agent of a team that only runs code', async () => {
    const runners = [
      new CodeExecutorAgent({ name: 'runner', executor: new EchoExecutor(), pictures: true }),
      asChatAgent(
        speaker('runner', [], { codeExecutionConfig: { executor: new EchoExecutor() }, pictures: true }),
      ),
    ]
    for (const runner of runners) {
      const critic = new CodeExecutorAgent({
        name: 'critic',
        executor: new EchoExecutor(),
        model: new ScriptedModel(['It rises.']),
        pictures: true,
      })
      const team = new RoundRobinGroupChat({ participants: [runner, critic], maxTurns: 2 })
      await team.run(plot)
      const { memory } = await critic.saveState()
      expect(JSON.stringify(memory).split(picture)).toHaveLength(2)
    }
  })

  it('is part of the output of a tool that shows it', async () => {
    const model = new ScriptedModel([
      { toolCalls: [{ name: 'execute_code', input: { code: 'plot' } }] },
      'It rises.\nTERMINATE',
    ])
    const assistant = new AssistantAgent({ name: 'assistant', model, pictures: true })
    const tool = codeExecutionTool(new EchoExecutor(), { pictures: true })
    assistant.registerForModel(tool)
    const user = speaker('user')
    user.registerForExecution(tool)
    await user.initiateChat(assistant, { message: 'Plot.' })
    expect(picturesIn(model, 1)).toEqual([0, 0, 0, 1])
    const [answer] = historyOf(user, assistant).slice(2, 3).flatMap(toolResponsesOf)
    expect(answer?.pictures).toEqual([png])
    expect(answer?.content).not.toContain(picture)
    expect(answer?.content).toContain('[image/png]')
  })

  it('is the newest 20 of a conversation', async () => {
    const model = new ScriptedModel((call) =>
      call < 25 ? `${fence('python', `${call}`)}\n\n${plot}` : 'TERMINATE',
    )
    const assistant = new AssistantAgent({ name: 'assistant', model, pictures: true })
    const user = speaker('user', [], { codeExecutionConfig: { executor: new EchoExecutor() } })
    await user.initiateChat(assistant, { message: 'Plot.' })
    const shown = picturesIn(model, 25).filter((_, index) => index > 1 && index % 2 === 1)
    expect(shown).toEqual([...Array(5).fill(0), ...Array(20).fill(1)])
  })
})

describe('the result of a conversation', () => {
  it('has what was said last, and the files that programs have made, each once', async () => {
    const workDir = await mkdtemp(join(tmpdir(), 'fenced-agents-'))
    onTestFinished(() => rm(workDir, { recursive: true }))
    const write = defineExecutor({
      name: 'writer',
      languages: ['python'],
      driver: () => {
        const workDirectory = new HostWorkDirectory({ path: workDir })
        return {
          workDirectory,
          run: async ({ code }) => {
            await writeFile(join(workDir, 'a.txt'), code)
            return { exitCode: 0 }
          },
        }
      },
    })
    const user = speaker('user', [], { codeExecutionConfig: { executor: write() } })
    const writer = speaker('writer', [fence('python', 'one'), fence('python', 'three'), 'Done.\nTERMINATE'])
    const { text, files } = await user.initiateChat(writer, { message: 'Write.' })
    expect(text).toBe('Done.')
    expect(files).toMatchObject([{ path: 'a.txt', change: 'changed', sizeBytes: 5 }])
  })
})

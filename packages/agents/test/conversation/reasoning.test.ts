import { describe, expect, it } from 'vitest'
import { contentsOf, speaker } from '../../src/agent/agents.fixture.ts'
import { CodeExecutorAgent } from '../../src/code-executor-agent/code-executor-agent.ts'
import { AssistantAgent } from '../../src/conversable-agent/presets.ts'
import { EchoExecutor, fence } from '../../src/reply/echo-executor.fixture.ts'
import { asChatAgent } from '../../src/team/as-chat-agent.ts'
import { RoundRobinGroupChat } from '../../src/team/round-robin-group-chat.ts'
import { itemsOf } from '../../src/team/test-agent.fixture.ts'
import { ScriptedModel } from '../../src/testing/scripted-model.ts'

describe.each(['think', 'thinking', 'thought'])('a draft in <%s>', (tag) => {
  const answer = `<${tag}>\nPerhaps so:\n${fence('python', 'the draft')}\nNo.\n</${tag}>\n${fence('python', 'the program')}`

  const conversation = () => {
    const executor = new EchoExecutor()
    const model = new ScriptedModel([answer, 'Done.\nTERMINATE'])
    const assistant = new AssistantAgent({ name: 'assistant', model })
    const user = speaker('user', [], { codeExecutionConfig: { executor } })
    return { executor, assistant, user, chat: user.initiateChat(assistant, { message: 'Go.' }) }
  }

  it('is not run by the partner of its writer, who keeps the whole answer', async () => {
    const { executor, assistant, user, chat } = conversation()
    await chat
    expect(executor.ran).toEqual(['the program'])
    expect(contentsOf(user.chatMessages.get(assistant))).toContain(answer)
  })

  it('is not run by an agent that writes code itself, and stands in its events', async () => {
    const executor = new EchoExecutor()
    const model = new ScriptedModel([answer, 'It is done.'])
    const coder = new CodeExecutorAgent({ name: 'coder', executor, model })
    const items = await itemsOf(coder.run({ task: 'Go.' }))
    expect(executor.ran).toEqual(['the program'])
    expect(items).toContainEqual(
      expect.objectContaining({
        type: 'code-generated',
        content: answer,
        codeBlocks: [expect.objectContaining({ code: 'the program' })],
      }),
    )
  })

  it('is not run by an agent without a model', async () => {
    const executor = new EchoExecutor()
    await new CodeExecutorAgent({ name: 'runner', executor }).run({ task: answer })
    expect(executor.ran).toEqual(['the program'])
  })
})

describe('a draft whose opening tag the chat template writes', () => {
  const answer = `Perhaps so:\n${fence('python', 'the draft')}\nNo.\n</think>\n${fence('python', 'the program')}`
  const ofWriter = (startsInReasoning: boolean) => {
    const model = new ScriptedModel([answer, 'TERMINATE'])
    return new AssistantAgent({ name: 'writer', model, startsInReasoning })
  }

  it.each([
    [true, ['the program']],
    [false, ['the draft', 'the program']],
  ])('is no program with `startsInReasoning: %s`', async (startsInReasoning, ran) => {
    const executors = [new EchoExecutor(), new EchoExecutor(), new EchoExecutor()] as const
    const [ofUser, ofTeam, ofCoder] = executors
    const user = speaker('user', [], { codeExecutionConfig: { executor: ofUser } })
    await user.initiateChat(ofWriter(startsInReasoning), { message: 'Go.' })

    const runner = new CodeExecutorAgent({ name: 'runner', executor: ofTeam })
    const participants = [asChatAgent(ofWriter(startsInReasoning)), runner]
    await new RoundRobinGroupChat({ participants, maxTurns: 2 }).run('Go.')

    const model = new ScriptedModel([answer, 'Done.'])
    await new CodeExecutorAgent({ name: 'coder', executor: ofCoder, model, startsInReasoning }).run('Go.')
    expect(executors.map((executor) => executor.ran)).toEqual([ran, ran, ran])
  })
})

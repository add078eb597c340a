import { expect, it } from 'vitest'
import { CodeExecutorAgent } from '../code-executor-agent/code-executor-agent.ts'
import { EchoExecutor, fence } from '../reply/echo-executor.fixture.ts'
import { RoundRobinGroupChat } from './round-robin-group-chat.ts'

/** A runner that notes the number of messages of each turn. */
class NotingAgent extends CodeExecutorAgent {
  readonly noted: number[] = []

  override onMessages(...given: Parameters<CodeExecutorAgent['onMessages']>) {
    this.noted.push(given[0].length)
    return super.onMessages(...given)
  }
}

it('a run and a team call the `onMessages` of a subclass', async () => {
  const agent = new NotingAgent({ name: 'runner', executor: new EchoExecutor() })
  const alone = await agent.run(fence('sh', 'one'))
  const team = new RoundRobinGroupChat({ participants: [agent], maxTurns: 1 })
  const together = await team.run(fence('sh', 'two'))
  expect(agent.noted).toEqual([1, 1])
  expect([alone.text, together.text]).toEqual(['one\n', 'two\n'])
  expect(together.events.map(({ type }) => type)).toEqual(alone.events.map(({ type }) => type))
})

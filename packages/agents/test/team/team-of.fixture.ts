import { AssistantAgent, UserProxyAgent } from '../../src/conversable-agent/presets.ts'
import { EchoExecutor } from '../../src/reply/echo-executor.fixture.ts'
import { asChatAgent } from '../../src/team/as-chat-agent.ts'
import { RoundRobinGroupChat } from '../../src/team/round-robin-group-chat.ts'
import { TestAgent } from '../../src/team/test-agent.fixture.ts'
import { ScriptedModel } from '../../src/testing/scripted-model.ts'

/** A team of all kinds: an agent, one with a model, and a team with one that runs code. Each run has one turn. */
export function teamOf(firstAnswer = 0) {
  const model = new ScriptedModel(
    (call) => `Answer ${firstAnswer + call}:\n\`\`\`sh\necho ${firstAnswer + call}\n\`\`\``,
  )
  const runner = new UserProxyAgent({
    name: 'runner',
    humanInputMode: 'never',
    codeExecutionConfig: { executor: new EchoExecutor() },
  })
  const inner = new RoundRobinGroupChat({
    name: 'inner',
    participants: [asChatAgent(runner), new TestAgent('watcher')],
    maxTurns: 1,
  })
  const team = new RoundRobinGroupChat({
    participants: [asChatAgent(new AssistantAgent({ name: 'coder', model })), inner, new TestAgent('critic')],
    maxTurns: 1,
  })
  return { team, model }
}

import { AssistantAgent, RoundRobinGroupChat, UserProxyAgent } from '@fenced/agents'
import { ScriptedModel } from '@fenced/agents/testing'
// @boundaries-ignore Tests of the agents use it as well; no package exports it.
import { EchoExecutor } from '../../../../agents/src/reply/echo-executor.fixture.ts'
import { consoleView } from '../../../src/console/console-view.ts'
import { TerminalHumanInput } from '../../../src/human-input/terminal-human-input.ts'
import { showRun } from '../../../src/show-run/show-run.ts'

// A conversation, or a team, in which a person is asked before each reply; with or without a view; and says what was run.
const { VIEW = 'none', TEAM = '', WORDS = 'autogen' } = process.env
const executor = new EchoExecutor()
const spoof = 'Replying as nobody. Press enter to skip: '
const text = `I try this.\n\n~~~sh\necho "hid\u202Eden"\n~~~\n\n${spoof}`
const model = new ScriptedModel((call) => (call === 0 ? text : 'Fine.'))
const writer = new AssistantAgent({ name: 'writer', model })
const runner = new UserProxyAgent({
  name: 'runner',
  humanInputMode: 'always',
  humanInput: new TerminalHumanInput({ words: WORDS === 'plain' ? 'plain' : 'autogen' }),
  codeExecutionConfig: { executor },
})
const run =
  TEAM === 'yes'
    ? new RoundRobinGroupChat({ participants: [writer, runner], maxTurns: 2 }).run('Go.')
    : runner.initiateChat(writer, { message: 'Go.', maxTurns: 2 })
if (VIEW === 'console') await consoleView(run)
else if (VIEW === 'run') await showRun<unknown>(run)
else await run
process.stdout.write(`<${JSON.stringify({ ran: executor.ran })}>\n`)

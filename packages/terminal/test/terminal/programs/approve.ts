import { approveByPerson } from '@fenced/agents'
import { codeRequest } from '@fenced/core/internal'
// @boundaries-ignore Tests of the agents use it as well; no package exports it.
import { EchoExecutor } from '../../../../agents/src/reply/echo-executor.fixture.ts'
import { TerminalHumanInput } from '../../../src/human-input/terminal-human-input.ts'

// Asks whether the code in its environment may be run, and says what was decided.
const { CODE = '', TIMEOUT_MS } = process.env
const timeoutMs = TIMEOUT_MS === undefined ? undefined : Number(TIMEOUT_MS)
const approve = approveByPerson(new TerminalHumanInput(), { timeoutMs })
const request = codeRequest({
  agent: 'coder',
  executor: new EchoExecutor(),
  blocks: [{ language: 'python', code: CODE }],
  context: '',
  retryAttempt: 0,
})
try {
  say((await approve(request, new AbortController())) as object)
} catch (error) {
  say({ error: (error as Error).message })
}

function say(fact: object): void {
  process.stdout.write(`<${JSON.stringify(fact)}>\n`)
}

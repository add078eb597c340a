import { codeRequest } from '@fenced/core/internal'
import { approveByPerson } from '../../../src/human-input/approve-by-person.ts'
import { TerminalHumanInput } from '../../../src/human-input/terminal-human-input.ts'
import { EchoExecutor } from '../../../src/reply/echo-executor.fixture.ts'

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
  say(await approve(request, new AbortController()))
} catch (error) {
  say({ error: (error as Error).message })
}

function say(fact: object): void {
  process.stdout.write(`<${JSON.stringify(fact)}>\n`)
}

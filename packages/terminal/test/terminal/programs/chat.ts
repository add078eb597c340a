import type { AgentEvent } from '@fenced/agents'
import { consoleView } from '../../../src/console/console-view.ts'
import { chatEnd, fibonacci } from '../../../src/console/conversation.fixture.ts'
import { TerminalHumanInput } from '../../../src/human-input/terminal-human-input.ts'

// A conversation in a terminal, in which a real person is asked where the one of the fixture was.
const human = new TerminalHumanInput()

async function* events(): AsyncGenerator<AgentEvent> {
  for (const event of fibonacci) {
    yield event
    if (event.type !== 'human-input-requested') continue
    if ((await human.ask(event.request, new AbortController())) === 'exit') return yield chatEnd
  }
}

await consoleView(events())

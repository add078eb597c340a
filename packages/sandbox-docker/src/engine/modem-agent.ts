import type { Agent, ClientRequest, IncomingMessage } from 'node:http'
import { inspect } from 'node:util'

interface WithAddRequest {
  addRequest(request: ClientRequest, ...rest: unknown[]): void
}

/**
 * Makes up for three faults of docker-modem (5.0.7), from the only object that sees its requests:
 * - a connection that is lost in the middle of an answer's body leaves its call pending for ever, because it listens
 *   to neither `error` nor `aborted` of an answer;
 * - a refused exec start with stdin (404, 409) never ends its request, which keeps the connection;
 * - it writes its options out for a log that nobody reads, with the agent and all of its connections, at each request:
 *   two hundred execs beside each other took two minutes of a processor.
 */
export function agentForModem<SomeAgent extends Agent>(agent: SomeAgent): SomeAgent {
  Object.defineProperty(agent, inspect.custom, { value: () => '[Agent]' })
  const open = agent as SomeAgent & WithAddRequest
  const addRequest = open.addRequest
  open.addRequest = function (request, ...rest) {
    request.once('response', (response: IncomingMessage) => {
      response.once('error', (error) => request.emit('error', error))
      response.once('close', () => {
        if (!request.writableEnded) request.destroy()
      })
    })
    return addRequest.call(this, request, ...rest)
  }
  return agent
}

import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'

/** What the server does with one request. */
export type ServerAnswer = (response: ServerResponse) => void | Promise<void>

/** A request as it came. */
export interface ServerRequest {
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly body: Readonly<Record<string, unknown>>
}

/**
 * A server of models on loopback. It gives one answer after the other, and the last one from then on: {@link answers} in
 * the chat completions of OpenAI, {@link sends} in any protocol.
 */
export class ModelServer implements AsyncDisposable {
  readonly requests: ServerRequest[] = []
  readonly #server = createServer((request, response) => void this.#answer(request, response))
  readonly #answers: readonly ServerAnswer[]

  private constructor(answers: readonly ServerAnswer[]) {
    this.#answers = answers
  }

  static async start(...answers: readonly ServerAnswer[]): Promise<ModelServer> {
    const server = new ModelServer(answers)
    server.#server.listen(0, '127.0.0.1')
    await once(server.#server, 'listening')
    return server
  }

  get baseUrl(): string {
    const { port } = this.#server.address() as AddressInfo
    return `http://127.0.0.1:${port}/v1`
  }

  /** A model of it for the AI SDK. */
  model(modelId: string) {
    return createOpenAICompatible({
      name: 'loopback',
      baseURL: this.baseUrl,
      apiKey: 'no-secret',
      includeUsage: true,
    })(modelId)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections()
    if (!this.#server.listening) return
    this.#server.close()
    await once(this.#server, 'close')
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const answer = this.#answers[Math.min(this.requests.length, this.#answers.length - 1)]
    const { url: path = '', headers } = request
    this.requests.push({ path, headers, body: {} })
    const index = this.requests.length - 1
    this.requests[index] = { path, headers, body: JSON.parse(await text(request)) }
    await answer?.(response)
  }
}

/** A call of a tool, as it is sent: in as many pieces as its arguments have. */
export interface ServerCall {
  readonly id: string
  readonly name: string
  readonly pieces: readonly string[]
}

/** Answers with text and calls, piece by piece. */
export function answers({
  texts = [],
  reasoning = [],
  calls = [],
  finishReason = calls.length > 0 ? 'tool_calls' : 'stop',
  usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
}: {
  texts?: readonly string[]
  reasoning?: readonly string[]
  calls?: readonly ServerCall[]
  finishReason?: string
  /** `null` for a server that does not tell it. */
  usage?: Readonly<Record<string, number>> | null
}): ServerAnswer {
  return sends([
    ...reasoning.map((piece) => chunk({ reasoning_content: piece })),
    ...texts.map((content) => chunk({ content })),
    ...calls.flatMap(({ id, name, pieces }, index) => [
      chunk({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] }),
      ...pieces.map((piece) => chunk({ tool_calls: [{ index, function: { arguments: piece } }] })),
    ]),
    chunk({}, finishReason),
    ...(usage === null ? [] : [{ ...chunk({}), choices: [], usage }]),
    '[DONE]',
  ])
}

/** Answers with a status and no stream. */
export function fails(
  status: number,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): ServerAnswer {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.end(JSON.stringify({ error: { message, type: 'error', code: status } }))
  }
}

/** Sends events as they are, and then ends the answer, breaks the connection, or leaves it open. */
export function sends(
  events: readonly (string | object)[],
  { ending = 'end' }: { ending?: 'end' | 'break' | 'wait' } = {},
): ServerAnswer {
  return async (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.flushHeaders()
    for (const event of events) {
      const data = typeof event === 'string' ? event : JSON.stringify(event)
      await new Promise((resolve) => response.write(`data: ${data}\n\n`, resolve))
    }
    if (ending === 'end') response.end()
    if (ending === 'break') response.destroy()
  }
}

/** One event of a stream. */
export function chunk(delta: object, finishReason: string | null = null): object {
  return {
    id: 'answer-1',
    object: 'chat.completion.chunk',
    created: 0,
    model: 'loopback',
    choices: [{ index: 0, delta, finish_reason: finishReason }],
  }
}

import { anywhere, FencedCommand } from './command.ts'

/** A message that came, without what only the protocol needs. */
export interface Answer {
  readonly id?: number
  readonly result?: {
    readonly isError?: boolean
    readonly content?: readonly { readonly text?: string }[]
    readonly inputRequests?: { readonly approval?: { readonly params: { readonly message: string } } }
    readonly requestState?: string
    readonly structuredContent?: { readonly sandbox?: string }
  }
  readonly error?: { readonly code: number; readonly message: string }
}

/** Of each request in the revision of 2026. */
const _meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1.0.0' },
  'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
}

/** What a person answers who wants it. */
const approval = { action: 'accept', content: { allow: true } }

/** A client that sends what no SDK would. */
abstract class RawClient {
  abstract request(method: string, params: object): Promise<Answer>

  /** Calls a tool. @param state - of a question, brought with an answer that allows. */
  call(name: string, input: object, state?: string): Promise<Answer> {
    const retry = state === undefined ? {} : { inputResponses: { approval }, requestState: state }
    return this.request('tools/call', { name, arguments: input, _meta, ...retry })
  }

  /** Answers before anything was asked. */
  callWithAnswer(name: string, input: object): Promise<Answer> {
    return this.request('tools/call', { name, arguments: input, _meta, inputResponses: { approval } })
  }
}

/** One over standard input and output. */
export class RawStdioClient extends RawClient implements AsyncDisposable {
  readonly #command: FencedCommand
  readonly #waiting = new Map<number, (answer: Answer) => void>()
  #text = ''
  #id = 0

  constructor(args: readonly string[] = []) {
    super()
    this.#command = new FencedCommand(['mcp', ...anywhere, ...args])
    this.#command.child.stdout.on('data', (text: string) => this.#take(text))
  }

  override request(method: string, params: object): Promise<Answer> {
    const id = ++this.#id
    const { promise, resolve, reject } = Promise.withResolvers<Answer>()
    this.#waiting.set(id, resolve)
    void this.#command.ended.then(({ code, stderr }) => reject(new Error(`It has ended, ${code}: ${stderr}`)))
    this.#command.child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`)
    return promise
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#command.child.stdin.end()
    await this.#command.ended
  }

  #take(text: string): void {
    const lines = (this.#text + text).split('\n')
    this.#text = lines.pop() ?? ''
    for (const line of lines) {
      const answer = JSON.parse(line) as Answer
      this.#waiting.get(answer.id ?? 0)?.(answer)
    }
  }
}

/** One over HTTP. */
export class RawHttpClient extends RawClient {
  readonly #server: { readonly url: string; readonly token: string }
  #id = 0

  constructor(server: { readonly url: string; readonly token: string }) {
    super()
    this.#server = server
  }

  override async request(method: string, params: { readonly name?: string }): Promise<Answer> {
    const response = await fetch(this.#server.url, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${this.#server.token}`,
        'Content-Type': 'application/json',
        Accept: 'application/json, text/event-stream',
        'MCP-Protocol-Version': '2026-07-28',
        'Mcp-Method': method,
        ...(params.name === undefined ? {} : { 'Mcp-Name': params.name }),
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: ++this.#id, method, params }),
    })
    const text = await response.text()
    return JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? text)
  }
}

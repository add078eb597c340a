import type { LoggedEvent } from '../src/index.ts'
import type { TestServer } from './served.ts'

/** A client with the cookie of a server, as the page is. */
export class Client {
  readonly #origin: string
  readonly cookie: string

  private constructor(origin: string, cookie: string) {
    this.#origin = origin
    this.cookie = cookie
  }

  static async of({ origin, token }: Pick<TestServer, 'origin' | 'token'>): Promise<Client> {
    const response = await fetch(`${origin}/api/session`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ token }),
    })
    return new Client(origin, response.headers.get('set-cookie')?.split(';')[0] ?? '')
  }

  fetch(path: string, init: RequestInit = {}): Promise<Response> {
    return fetch(`${this.#origin}${path}`, { ...init, headers: { Cookie: this.cookie, ...init.headers } })
  }

  post(path: string, body: unknown): Promise<Response> {
    const headers = { 'Content-Type': 'application/json' }
    return this.fetch(path, { method: 'POST', headers, body: JSON.stringify(body) })
  }

  /** Begins a conversation, and returns the path of its requests. */
  async start(body: unknown): Promise<string> {
    const { id } = (await (await this.post('/api/conversations', body)).json()) as { id: string }
    return `/api/conversations/${id}`
  }

  /** The events of a conversation up to one that is looked for, which is the last of them. */
  async until(
    path: string,
    isIt: (event: LoggedEvent['event']) => boolean,
    after = 0,
  ): Promise<LoggedEvent[]> {
    const events: LoggedEvent[] = []
    for await (const event of this.events(path, after)) {
      events.push(event)
      if (isIt(event.event)) return events
    }
    throw new Error('The stream ended without it.')
  }

  async *events(path: string, after = 0): AsyncGenerator<LoggedEvent> {
    const stop = new AbortController()
    const response = await this.fetch(`${path}/events?after=${after}`, { signal: stop.signal })
    let text = ''
    try {
      for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
        const parts = (text + chunk).split('\n\n')
        text = parts.pop() ?? ''
        for (const part of parts) {
          const data = /^data: (.*)$/m.exec(part)?.[1]
          if (data !== undefined && !part.includes('event: list')) yield JSON.parse(data) as LoggedEvent
        }
      }
    } finally {
      stop.abort()
    }
  }

  /** Answers the question about the code of a run, when it is asked. */
  async approve(path: string, answer: unknown = { decision: 'allow' }, after = 0): Promise<Response> {
    return this.answer(path, await this.until(path, isQuestion, after), answer)
  }

  /** Answers the question that is the last of some events. */
  answer(path: string, events: readonly LoggedEvent[], answer: unknown): Promise<Response> {
    const last = events.at(-1)?.event
    if (last?.type !== 'approval-requested') throw new Error('The last event is not a question.')
    const { digest, request } = last
    return this.post(`${path}/approvals/${request.id}`, { digest, answer })
  }
}

type Event = LoggedEvent['event']

export function isQuestionAbout(kind: 'code' | 'tool' | 'network' | 'input'): (event: Event) => boolean {
  return (event) => event.type === 'approval-requested' && event.request.kind === kind
}

export const isQuestion = isQuestionAbout('code')

export function isTurnEnd(event: LoggedEvent['event']): boolean {
  return event.type === 'turn-end'
}

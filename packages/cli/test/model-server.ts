import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'

/** The part of a request that tests read. */
interface Asked {
  readonly authorization: string | undefined
  readonly model: string
  readonly messages: readonly { readonly role: string; readonly content: string }[]
}

/** A server on this machine that speaks as OpenAI's does. */
export interface ModelServer extends AsyncDisposable {
  readonly baseUrl: string
  readonly asked: readonly Asked[]
}

export interface ModelServerOptions {
  /** In order; the last one repeats. An answer that is `undefined` begins and never ends. */
  readonly answers: readonly (string | undefined)[]
  /** A request with another key gets a 401. */
  readonly key?: string
}

export async function modelServer({ answers, key }: ModelServerOptions): Promise<ModelServer> {
  const asked: Asked[] = []
  const server = createServer(async (request, response) => {
    const { authorization } = request.headers
    const { model, messages } = (await json(request)) as Asked
    asked.push({ authorization, model, messages })
    if (key !== undefined && authorization !== `Bearer ${key}`) return refuse(response)
    say(response, answers[Math.min(asked.length, answers.length) - 1])
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    asked,
    async [Symbol.asyncDispose]() {
      server.close()
      server.closeAllConnections()
    },
  }
}

function say(response: ServerResponse, answer: string | undefined): void {
  const send = (data: object) => response.write(`data: ${JSON.stringify(data)}\n\n`)
  const chunk = (delta: object, finish: string | null = null) =>
    send({ id: '1', created: 0, model: 'm', choices: [{ index: 0, delta, finish_reason: finish }] })
  response.setHeader('Content-Type', 'text/event-stream')
  chunk({ role: 'assistant', content: answer?.slice(0, 5) ?? 'Let me think ...' })
  if (answer === undefined) return
  chunk({ content: answer.slice(5) })
  chunk({}, 'stop')
  send({ choices: [], usage: { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 } })
  response.end('data: [DONE]\n\n')
}

function refuse(response: ServerResponse): void {
  response.statusCode = 401
  response.end(JSON.stringify({ error: { message: 'Incorrect API key provided.', type: 'auth' } }))
}

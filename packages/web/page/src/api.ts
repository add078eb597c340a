import type { SessionVariable } from '@fenced/core'
import type { ConversationSummary, FileEntry, GivenAnswer, LoggedEvent } from '../../src/event.ts'
import type { ExecutorState, Place } from '../../src/http/executor-states.ts'
import type { FoundConversation } from '../../src/search.ts'
import type { PendingQuestion } from './run-view.ts'

export type {
  ConversationSummary,
  ExecutorState,
  FileEntry,
  FoundConversation,
  LoggedEvent,
  Place,
  SessionVariable,
}

/** What the server offers. */
export interface ServerState {
  readonly executors: readonly ExecutorState[]
  readonly models: readonly { readonly id: string; readonly name: string }[]
  readonly examples: readonly string[]
}

/** Exchanges the token in the address for a cookie, and removes it from the address. Returns what the server offers. */
export async function enter(): Promise<ServerState> {
  const token = new URLSearchParams(location.hash.slice(1)).get('token')
  if (token !== null) {
    await api.exchange(token)
    history.replaceState(undefined, '', '/')
  }
  return await api.state()
}

export const api = {
  /** Exchanges a token for a cookie. */
  exchange: (token: string) => request('POST', '/api/session', { token }),
  state: () => request<ServerState>('GET', '/api/state'),
  search: (text: string) =>
    request<FoundConversation[]>('GET', `/api/search?text=${encodeURIComponent(text)}`),
  /** The executors again, with what is missing for each. */
  executors: () => request<ExecutorState[]>('GET', '/api/executors'),
  start: (body: {
    executor: string
    model?: string | undefined
    packages?: readonly string[]
    text?: string
    document?: { name: string; text: string }
  }) => request<{ id: string }>('POST', '/api/conversations', body),
  send: (id: string, text: string) => request('POST', `${path(id)}/messages`, { text }),
  runDocument: (id: string, document: { name: string; text: string }) =>
    request('POST', `${path(id)}/documents`, document),
  branch: (id: string, message: string, text: string) =>
    request<{ id: string }>('POST', `${path(id)}/branch`, { message, text }),
  resume: (id: string) => request('POST', `${path(id)}/resume`),
  repeat: (id: string, run: string) => request('POST', `${path(id)}/repeat`, { run }),
  undo: (id: string, run: string) => request('POST', `${path(id)}/undo`, { run }),
  variables: (id: string) => request<SessionVariable[]>('GET', `${path(id)}/variables`),
  /** Ends the program, the answer and the question. */
  stop: (id: string) => request('POST', `${path(id)}/stop`),
  answer: (id: string, { request: { id: question }, digest }: PendingQuestion, answer: GivenAnswer) =>
    request('POST', `${path(id)}/approvals/${question}`, { digest, answer }),
  forget: (id: string, approval: string) => request('DELETE', `${path(id)}/approvals/${approval}`),
  rename: (id: string, title: string) => request('PATCH', path(id), { title }),
  delete: (id: string) => request('DELETE', path(id)),
  files: (id: string) => request<FileEntry[]>('GET', `${path(id)}/files`),
  async upload(id: string, file: File): Promise<void> {
    const response = await fetch(filePath(id, file.name), { method: 'PUT', body: file })
    if (!response.ok) throw await failureOf(response)
  },
}

export function path(id: string): string {
  return `/api/conversations/${id}`
}

export function filePath(id: string, name: string): string {
  return `${path(id)}/files/${name.split('/').map(encodeURIComponent).join('/')}`
}

async function request<Answer>(method: string, url: string, body?: unknown): Promise<Answer> {
  const response = await fetch(url, {
    method,
    ...(body === undefined
      ? {}
      : { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) }),
  }).catch(() => {
    throw new Error('The server does not answer: look whether it still runs.')
  })
  if (!response.ok) throw await failureOf(response)
  const isJson = response.headers.get('Content-Type')?.startsWith('application/json')
  return (isJson ? await response.json() : undefined) as Answer
}

async function failureOf(response: Response): Promise<Error> {
  const body = (await response.json().catch(() => ({}))) as { message?: string }
  return new Error(body.message ?? `The server answered with ${response.status}.`)
}

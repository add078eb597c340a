import { z } from '@fenced/core/zod'
import { Hono } from 'hono'
import type { Conversations } from '../conversation/conversations.ts'
import type { GivenAnswer, LoggedEvent } from '../event.ts'
import type { EventLog } from '../event-log.ts'
import { asMarkdown } from '../export/markdown.ts'
import { asNotebook } from '../export/notebook.ts'
import { bodyOf, documentSchema, json, text } from './body.ts'
import { errorResponse } from './error-response.ts'
import { eventStream, listEvents, type StreamedEvent } from './event-stream.ts'
import { fileResponse, listedFiles, receiveFile } from './files.ts'

const maxFile = 256 * 1024 * 1024

/** A dot would not match a line break, which a name can have. */
const filePath = '/files/:path{[\\s\\S]+}'

const bodies = {
  message: z.strictObject({ text }),
  branch: z.strictObject({ message: z.string(), text }),
  title: z.strictObject({ title: z.string().min(1).max(500) }),
  repeat: z.strictObject({ run: z.string() }),
  // Core checks the answer: each kind of question has its own.
  approval: z.strictObject({ digest: z.string(), answer: z.unknown() }),
}

/** The requests about one conversation. */
export function conversationRoutes({
  conversations,
  log,
}: {
  readonly conversations: Conversations
  readonly log: EventLog
}) {
  const one = new Hono<{ Variables: { id: string } }>()
  one.onError(errorResponse)
  one.use(async (context, next) => {
    const id = context.req.param('id') ?? ''
    conversations.summary(id)
    context.set('id', id)
    await next()
  })
  one.patch('/', json, async (context) => {
    conversations.rename(context.get('id'), (await bodyOf(context, bodies.title)).title)
    return context.body(null, 204)
  })
  one.delete('/', async (context) => {
    await conversations.delete(context.get('id'))
    return context.body(null, 204)
  })
  // With the list: a browser has six connections to a server, and a page takes one of them.
  one.get('/events', ({ req, get }) => {
    const id = get('id')
    const list = listEvents(log)
    let cursor = Number(req.header('last-event-id') ?? req.query('after') ?? 0) || 0
    const read = () => {
      const events = log.read(id, cursor)
      cursor = events.at(-1)?.seq ?? cursor
      return [...list.read(), ...messagesOf(events, req.query('batch') !== undefined)]
    }
    const onChange = (callback: () => void) => {
      const ends = [log.onChange(id, callback), list.onChange(callback)]
      return () => {
        for (const end of ends) end()
      }
    }
    return eventStream({ read, onChange, signal: req.raw.signal })
  })
  one.post('/messages', json, async (context) => {
    conversations.get(context.get('id')).send((await bodyOf(context, bodies.message)).text)
    return context.body(null, 202)
  })
  one.post('/documents', json, async (context) => {
    const { name, text } = await bodyOf(context, documentSchema)
    conversations.get(context.get('id')).runDocument(name, text)
    return context.body(null, 202)
  })
  one.post('/branch', json, async (context) => {
    const id = await conversations.branch(context.get('id'), await bodyOf(context, bodies.branch))
    return context.json({ id }, 201)
  })
  one.post('/resume', (context) => {
    conversations.get(context.get('id')).resume()
    return context.body(null, 202)
  })
  one.post('/repeat', json, async (context) => {
    conversations.get(context.get('id')).repeat((await bodyOf(context, bodies.repeat)).run)
    return context.body(null, 202)
  })
  one.post('/undo', json, async (context) => {
    await conversations.get(context.get('id')).undo((await bodyOf(context, bodies.repeat)).run)
    return context.body(null, 204)
  })
  one.get('/variables', async (context) =>
    context.json(await conversations.get(context.get('id')).variables()),
  )
  one.post('/stop', async (context) => {
    await conversations.get(context.get('id')).stop()
    return context.body(null, 204)
  })
  one.post('/approvals/:request', json, async (context) => {
    const { digest, answer } = await bodyOf(context, bodies.approval)
    const { questions } = conversations.get(context.get('id'))
    questions.answer(context.req.param('request'), digest, answer as GivenAnswer)
    return context.body(null, 204)
  })
  one.delete('/approvals/:request', (context) => {
    conversations.get(context.get('id')).forget(context.req.param('request'))
    return context.body(null, 204)
  })
  one.get('/files', async (context) =>
    context.json(await listedFiles(await conversations.files(context.get('id')))),
  )
  one.get(filePath, async ({ req, get }) =>
    fileResponse(await conversations.files(get('id')), req.param('path'), {
      shown: req.query('shown') !== undefined,
      isHead: req.method === 'HEAD',
    }),
  )
  one.put(filePath, async (context) => {
    const id = context.get('id')
    const path = context.req.param('path')
    const body = context.req.raw.body
    const sizeBytes = await receiveFile(await conversations.files(id), path, { body, maxBytes: maxFile })
    log.append(id, { type: 'upload', path, sizeBytes })
    return context.body(null, 204)
  })
  one.get('/export.md', (context) => {
    const { title } = conversations.summary(context.get('id'))
    return download(`${title}.md`, 'text/markdown', asMarkdown(title, log.all(context.get('id'))))
  })
  one.get('/export.ipynb', (context) => {
    const { title } = conversations.summary(context.get('id'))
    const notebook = JSON.stringify(asNotebook(log.all(context.get('id'))), undefined, 1)
    return download(`${title}.ipynb`, 'application/x-ipynb+json', notebook)
  })
  return one
}

/** With `?batch`, the events of one read are one message: a browser takes thousands of small ones slowly. */
function messagesOf(events: readonly LoggedEvent[], isBatch: boolean): StreamedEvent[] {
  const last = events.at(-1)
  if (!isBatch || last === undefined) return events.map((event) => ({ id: event.seq, data: event }))
  return [{ id: last.seq, type: 'events', data: events }]
}

function download(name: string, type: string, text: string): Response {
  return new Response(text, {
    headers: {
      'Content-Type': `${type}; charset=utf-8`,
      'Content-Disposition': `attachment; filename*=UTF-8''${encodeURIComponent(name).replaceAll("'", '%27')}`,
      'Content-Security-Policy': "sandbox; default-src 'none'",
    },
  })
}

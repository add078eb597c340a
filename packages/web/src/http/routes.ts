import { packageSchema } from '@fenced/core/internal'
import { z } from '@fenced/core/zod'
import { Hono } from 'hono'
import { secureHeaders } from 'hono/secure-headers'
import type { Conversations } from '../conversation/conversations.ts'
import type { EventLog } from '../event-log.ts'
import type { FencedWebOptions } from '../options.ts'
import { Problem } from '../problem.ts'
import type { Access } from './access.ts'
import { bodyOf, documentSchema, json, text } from './body.ts'
import { conversationRoutes } from './conversation-routes.ts'
import { errorResponse } from './error-response.ts'
import { eventStream, listEvents } from './event-stream.ts'
import { executorStates, offered } from './executor-states.ts'
import { pageResponse } from './page.ts'

const start = z.strictObject({
  executor: z.string(),
  model: z.string().optional(),
  packages: z.array(packageSchema.max(300)).max(100).default([]),
  text: text.optional(),
  document: documentSchema.optional(),
})

interface RouteParts {
  readonly access: Access
  readonly conversations: Conversations
  readonly log: EventLog
  readonly options: FencedWebOptions
}

/** The requests of the page. Nothing but the page itself is given to one without the cookie. */
export function routes({ access, conversations, log, options }: RouteParts): Hono {
  const app = new Hono()
  app.onError(errorResponse)
  // A frame without an origin cannot be keyed by it, and a browser warns about that.
  app.use(secureHeaders({ xFrameOptions: false, strictTransportSecurity: false, originAgentCluster: false }))
  app.use(access.fromHere)
  app.post('/api/session', json, access.exchange)
  app.use('/api/*', access.withCookie)

  app.get('/api/state', (context) =>
    context.json({
      executors: options.executors.map(offered),
      models: [
        ...(options.models ?? []).map(({ id, name }) => ({ id, name })),
        ...Object.keys(options.agents ?? {}).map((id) => ({ id, name: id })),
      ],
      examples: options.examples ?? [],
    }),
  )
  // Apart: to find out what is there may take seconds.
  app.get('/api/executors', async (context) => context.json(await executorStates(options.executors)))
  app.get('/api/search', (context) => context.json(log.search(searchedText(context.req.query('text')))))
  app.get('/api/conversations', (context) => context.json(log.list()))
  app.get('/api/list', ({ req }) => {
    const list = listEvents(log)
    return eventStream({ ...list, signal: req.raw.signal })
  })
  app.post('/api/conversations', json, async (context) => {
    const { executor, model, packages, text = '', document } = await bodyOf(context, start)
    const id = conversations.create({ executor, model, packages, title: document?.name ?? text })
    if (document !== undefined) await orDeleted(id, (made) => made.runDocument(document.name, document.text))
    else if (text !== '') await orDeleted(id, (made) => made.send(text))
    return context.json({ id }, 201)
  })

  /** A conversation that could not begin is not left behind. */
  async function orDeleted(id: string, begin: (made: ReturnType<Conversations['get']>) => void) {
    try {
      begin(conversations.get(id))
    } catch (error) {
      await conversations.delete(id)
      throw error
    }
  }

  app.route('/api/conversations/:id', conversationRoutes({ conversations, log }))
  app.get('*', async ({ req }) => (await pageResponse(req.path)) ?? notFound())
  return app
}

/** In characters. */
const maxSearch = 200

function searchedText(text = ''): string {
  if (text.trim() === '' || text.length > maxSearch)
    throw new Problem(400, `The text to search for has 1 to ${maxSearch} characters.`)
  return text.trim()
}

function notFound(): never {
  throw new Problem(404, 'There is nothing at this address.')
}

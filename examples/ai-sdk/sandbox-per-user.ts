// A server in which each user has a sandbox. A user's files stay between requests, and no other user can reach them.
import { codeExecutionTool, LocalCommandLineCodeExecutor } from '@fenced/executor-local'
import { SandboxPool } from '@fenced/sandbox'
import { serve } from '@hono/node-server'
import { generateText, isStepCount } from 'ai'
import { Hono } from 'hono'

/** Names of users by their tokens: `{"secret":"ada"}`. Use your own authentication instead. */
const users = new Map<string, string>(Object.entries(JSON.parse(process.env.USERS ?? '{}')))
const pool = new SandboxPool({
  // In bubblewrap (Linux). On other systems, use DockerCommandLineCodeExecutor here.
  create: ({ workDir }) => new LocalCommandLineCodeExecutor({ isolation: 'bubblewrap', workDir }),
  size: 1,
  max: 20,
  maxPerUser: 1,
})
await pool.start()

const app = new Hono().post('/ask', async (context) => {
  const { req } = context
  const user = users.get(req.header('authorization')?.replace('Bearer ', '') ?? '')
  if (user === undefined) return context.text('Log in first.', 401)
  const lease = await pool.get(user, { user, signal: req.raw.signal })
  try {
    const { text } = await generateText({
      model: 'anthropic/claude-sonnet-4.5',
      prompt: await req.text(),
      tools: { execute_code: codeExecutionTool(lease.resource) },
      stopWhen: isStepCount(5),
      abortSignal: req.raw.signal,
    })
    return context.text(text)
  } finally {
    await lease.release()
  }
})

const options = { fetch: app.fetch, hostname: '127.0.0.1', port: Number(process.env.PORT ?? 3000) }
const server = serve(options, ({ port }) => console.log(`http://127.0.0.1:${port}/ask`))
process.once('SIGTERM', async () => {
  server.close()
  await pool.stop()
})

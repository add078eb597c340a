// A program is approved by an HTTP callback, as Slack sends it, in another process and as late as it comes.
// `node answer-later.ts ask` posts the question and ends. `node answer-later.ts serve` waits for the callbacks.
import { readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { type AgentState, CodeExecutorAgent, type TaskResult } from '@fenced/agents'
import { fileLedger } from '@fenced/core'
import { LocalCommandLineCodeExecutor } from '@fenced/executor-local'

// With a temporary directory, each process would work in another directory, and ask again.
await using executor = new LocalCommandLineCodeExecutor({ isolation: 'bubblewrap', workDir: 'work' })
const newCoder = () =>
  new CodeExecutorAgent({
    name: 'coder',
    executor,
    model: 'anthropic/claude-sonnet-4.5',
    // The program runs once, even if the callback comes twice.
    ledger: fileLedger('decisions'),
  })

/** Your database, and your message with two buttons that send { id, decision } back. */
async function post({ status, text, state, questions = [] }: TaskResult): Promise<void> {
  for (const { request } of questions) {
    await writeFile(`${request.id}.json`, JSON.stringify(state))
    console.log(`${'question' in request ? request.question : request.prompt}\n${request.id}`)
  }
  if (status === 'done') console.log(text)
}

async function answer({ id, decision }: { id: string; decision: 'allow' | 'deny' }): Promise<void> {
  if (!/^[0-9a-f-]{36}$/.test(id)) throw new Error('This is not the id of a question.')
  const state: AgentState = JSON.parse(await readFile(`${id}.json`, 'utf8'))
  await post(await newCoder().resume(state, { [id]: decision }))
}

if (process.argv[2] === 'ask') {
  await post(await newCoder().run({ task: 'How many primes are below 1000?', onQuestion: 'suspend' }))
} else {
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    // Check the signature of the callback here. Slack wants its answer within three seconds.
    response.end()
    await answer(JSON.parse(body)).catch((error) => console.error(error.message))
  })
  server.listen(Number(process.env.PORT ?? 3000), '127.0.0.1', () => console.log(server.address()))
  await new Promise((resolve) => process.once('SIGTERM', resolve))
  server.close()
}

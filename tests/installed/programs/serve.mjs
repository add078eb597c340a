// Starts a server on a free port of the loopback interface, runs a client with its URL as last argument, and stops the server:
// node serve.mjs CLIENT SERVER [ARGUMENT]...
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'

const [client, command, ...args] = process.argv.slice(2)
const probe = createServer().listen(0, '127.0.0.1')
await once(probe, 'listening')
const { port } = probe.address()
await new Promise((resolve) => probe.close(resolve))

// A server that hangs outlives no test.
const signal = AbortSignal.timeout(300_000)
const env = { ...process.env, PORT: port, HOST: '127.0.0.1', HOSTNAME: '127.0.0.1' }
const server = spawn(command, args, { env, stdio: ['ignore', 'ignore', 'inherit'], detached: true })
try {
  while (!(await answers())) {
    signal.throwIfAborted()
    if (server.exitCode !== null) throw new Error(`The server ended with ${server.exitCode}.`)
  }
  const child = spawn(process.execPath, [client, `http://127.0.0.1:${port}`], { stdio: 'inherit', signal })
  const [exitCode] = await once(child, 'exit')
  process.exitCode = exitCode ?? 1
} finally {
  if (server.exitCode === null) process.kill(-server.pid, 'SIGKILL')
}

async function answers() {
  try {
    const answer = await fetch(`http://127.0.0.1:${port}/`, { signal })
    await answer.text()
    return true
  } catch {
    await new Promise((resolve) => setTimeout(resolve, 100))
    return false
  }
}

import { type Place, versionOf } from './where-place.ts'

/** Starts a server on a free port of the loopback, prints its answer, and ends it. */
const serve = `
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
const probe = createServer().listen(0, '127.0.0.1')
await once(probe, 'listening')
const { port } = probe.address()
await new Promise((resolve) => probe.close(resolve))
const [command, ...args] = process.argv.slice(2)
const env = { ...process.env, PORT: port, HOST: '127.0.0.1', HOSTNAME: '127.0.0.1' }
const server = spawn(command, args, { env, stdio: ['ignore', 'ignore', 'inherit'], detached: true })
let ended = false
server.on('exit', () => { ended = true })
try {
  let answer
  while (answer === undefined) {
    if (ended) throw new Error('The server ended.')
    answer = await fetch(\`http://127.0.0.1:\${port}/block\`).catch(() => new Promise((resolve) => setTimeout(resolve, 100)))
  }
  if (!answer.ok) throw new Error(\`\${answer.status} \${await answer.text()}\`)
  for await (const chunk of answer.body) process.stdout.write(chunk)
} finally {
  if (!ended) process.kill(-server.pid)
}
`

const streamed = `
import { LocalCommandLineCodeExecutor } from '@fenced/executor-local'
async function* output() {
  const blocks = [{ language: 'python', code: 'print(6 * 7)' }, { language: 'sh', code: 'echo done' }]
  const executor = new LocalCommandLineCodeExecutor()
  try {
    for await (const event of executor.execute(blocks)) {
      if (event.type === 'stdout') yield new TextEncoder().encode(event.text)
    }
  } finally {
    await executor.stop()
  }
}
const answer = () => new Response(ReadableStream.from(output()))
`

const nextFiles: Readonly<Record<string, string>> = {
  'serve.mjs': serve,
  'next.config.mjs': `export default { output: 'standalone' }\n`,
  'app/layout.jsx': `export default ({ children }) => <html lang="en"><body>{children}</body></html>\n`,
  'app/page.jsx': `export default () => <p>Fenced</p>\n`,
  'app/block/route.js': `${streamed}
export const dynamic = 'force-dynamic'
export const GET = answer
`,
}

const nitroFiles: Readonly<Record<string, string>> = {
  'serve.mjs': serve,
  'nitro.config.mjs': `export default { compatibilityDate: '2026-01-01' }\n`,
  'routes/block.js': `${streamed}
export default defineEventHandler(answer)
`,
}

const react = ['react@19.3.1', 'react-dom@19.3.1']
const next = {
  group: 'Framework',
  files: nextFiles,
  version: versionOf('next'),
  prints: /^42\ndone\n$/,
} as const
const next15 = { ...next, packages: ['next@15.5.4', ...react] } as const
const next16 = { ...next, packages: ['next@16.4.6', ...react] } as const
const start = 'node serve.mjs next start'

export const frameworks: readonly Place[] = [
  { ...next16, name: 'Next.js 16, Turbopack, start', commands: ['next build', start] },
  {
    ...next16,
    name: 'Next.js 16, Turbopack, standalone',
    commands: ['next build', 'node serve.mjs node .next/standalone/server.js'],
  },
  { ...next16, name: 'Next.js 16, webpack', commands: ['next build --webpack', start] },
  { ...next15, name: 'Next.js 15, webpack', commands: ['next build', start] },
  { ...next15, name: 'Next.js 15, Turbopack', commands: ['next build --turbopack', start] },
  {
    name: 'Nitro 2',
    group: 'Framework',
    packages: ['nitropack@2.13.6'],
    version: versionOf('nitropack'),
    files: nitroFiles,
    commands: ['nitropack build', 'node serve.mjs node .output/server/index.mjs'],
    prints: /^42\ndone\n$/,
  },
]

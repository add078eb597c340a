import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DecisionLedger, FencedError } from '@fenced/core'
import { defineExecutor, type StartContext } from '@fenced/core/driver'
import { type CallToolResult, Client, InMemoryTransport } from '@modelcontextprotocol/client'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { Approvals } from '../../src/mcp/approval.ts'
import { ClientSandboxes } from '../../src/mcp/client-sandboxes.ts'
import { createCodeServer } from '../../src/mcp/code-server.ts'
import { Runs } from '../../src/mcp/runs.ts'
import { FencedCommand } from '../command.ts'
import { RawHttpClient } from '../raw-mcp.ts'
import { python } from '../requirements.ts'

interface TestParts {
  readonly install?: (packages: readonly string[], context: StartContext) => Promise<void>
  readonly installable?: readonly string[] | 'any'
  /** What a person answers. Absent where none is asked. */
  readonly allows?: boolean
  readonly ledger?: DecisionLedger
}

/** A client of a server whose executor has a fake index. */
async function connected({ install = async () => {}, installable = 'any', allows, ledger }: TestParts = {}) {
  const create = defineExecutor({
    name: 'test',
    languages: ['python'],
    driver: () => ({
      packages: { advise: async () => ({ advice: '' }), install },
      run: async () => ({ exitCode: 0 }),
    }),
  })
  const sandboxes = new ClientSandboxes(
    () => create({ installablePackages: installable, timeoutMs: 3_600_000 }),
    {
      ...{ where: () => 'here', max: 1, idleTimeoutMs: Number.POSITIVE_INFINITY },
    },
  )
  onTestFinished(() => sandboxes.stop())
  const approvals = allows === undefined ? undefined : new Approvals({ ledger })
  const about = { whyThere: '', version: '1.0.0', handles: undefined }
  const runs = new Runs(sandboxes)
  const server = createCodeServer({ sandboxes, ...about, approvals, runs })
  const questions: string[] = []
  const client = new Client({ name: 'test', version: '1.0.0' }, { capabilities: { elicitation: {} } })
  client.setRequestHandler('elicitation/create', ({ params }) => {
    questions.push(params.message)
    return { action: 'accept', content: { allow: allows === true } }
  })
  const [here, there] = InMemoryTransport.createLinkedPair()
  await Promise.all([server.connect(here), client.connect(there)])
  onTestFinished(() => client.close())
  return { client, questions }
}

function textOf({ content }: CallToolResult): string {
  const [first] = content
  return first?.type === 'text' ? first.text : ''
}

const install = (...packages: string[]) => ({ name: 'install_packages', arguments: { packages } })

describe('install_packages', () => {
  it('is a tool only where the executor can install packages', async () => {
    const { client: without } = await connected({ installable: [] })
    const { client } = await connected()
    const names = async (each: Client) => (await each.listTools()).tools.map(({ name }) => name)
    expect(await names(without)).not.toContain('install_packages')
    expect(await names(client)).toContain('install_packages')
  })

  it('installs the packages, and reports progress', async () => {
    const installed: (readonly string[])[] = []
    const { client } = await connected({
      install: async (packages, { notice }) => {
        installed.push(packages)
        notice({ code: 'install', message: 'Collecting numpy' })
      },
    })
    const messages: (string | undefined)[] = []
    const result = await client.callTool(install('numpy', 'pandas>=2'), {
      onprogress: ({ message }) => messages.push(message),
    })
    expect(result.structuredContent).toMatchObject({ status: 'ok', exitCode: 0 })
    expect([textOf(result), installed]).toEqual(['Installed: numpy, pandas>=2', [['numpy', 'pandas>=2']]])
    expect(messages).toContain('Collecting numpy')
  })

  it.each([
    ['the installer says no', ['nowhere'], 'No matching distribution found for nowhere'],
    ['the executor does not allow them', ['https://evil.test/x.whl'], 'cannot be installed'],
  ])('answers with data where %s', async (_, packages, message) => {
    const { client } = await connected({
      install: async () => {
        throw new FencedError({
          code: 'INSTALL_FAILED',
          message: 'No matching distribution found for nowhere',
          data: {},
        })
      },
    })
    const result = await client.callTool(install(...packages))
    expect(result).toMatchObject({ isError: true, structuredContent: { status: 'error', exitCode: 1 } })
    expect(textOf(result)).toContain(message)
  })

  it('refuses an option of pip', async () => {
    const { client } = await connected()
    expect(await client.callTool(install('--index-url=https://evil.test'))).toMatchObject({ isError: true })
  })

  it('that takes longer than its call has a run, which can be cancelled', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] })
    onTestFinished(() => void vi.useRealTimers())
    const begun = Promise.withResolvers<void>()
    const { client } = await connected({
      install: (_, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason))
          begun.resolve()
        }),
    })
    const calling = client.callTool(install('large'), { timeout: 3_600_000 })
    await begun.promise
    await vi.advanceTimersByTimeAsync(30_000)
    const { run } = Object((await calling).structuredContent)
    expect(run).toMatch(/^run-/)
    const cancelled = await client.callTool({ name: 'cancel_run', arguments: { run } })
    expect(cancelled.structuredContent).toMatchObject({ status: 'cancelled' })
  })
})

it.skipIf(python.missing)('install_packages works over HTTP, with an executor of the user', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'fenced-install-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  const local = new URL('../../../executor-local/src/index.ts', import.meta.url)
  const module = `
import { writeFileSync } from 'node:fs'
import { LocalCommandLineCodeExecutor as Local } from '${local}'
const install = async (names) => names.forEach((name) => writeFileSync(\`${directory}/\${name}.py\`, 'value = 42'))
const options = { env: { PYTHONPATH: '${directory}' }, installablePackages: ['tiny'] }
export default (given) => new Local({ ...given, ...options }, { installPackages: install })
`
  await writeFile(join(directory, 'executor.mjs'), module)
  const command = new FencedCommand(['mcp', '--http', '--executor', join(directory, 'executor.mjs')])
  onTestFinished(async () => {
    command.child.kill('SIGTERM')
    await command.ended
  })
  const client = new RawHttpClient(JSON.parse(await command.said(/(\{.*\})/)))
  const code = { language: 'python', code: 'import tiny; print(tiny.value)' }
  const texts = [
    await client.call('execute_code', code),
    await client.call('install_packages', { packages: ['huge'] }),
    await client.call('install_packages', { packages: ['tiny'] }),
    await client.call('execute_code', code),
  ].map(({ result }) => result?.content?.[0]?.text)
  expect(texts).toEqual([
    expect.stringContaining("No module named 'tiny'"),
    expect.stringContaining('"huge" cannot be installed'),
    'Installed: tiny',
    '42',
  ])
})

describe('install_packages with --ask', () => {
  it('installs what a person allowed, and records it', async () => {
    const ledger = new DecisionLedger()
    const installed: string[] = []
    const { client, questions } = await connected({
      ...{ ledger, allows: true },
      install: async (packages) => void installed.push(...packages),
    })
    expect(textOf(await client.callTool(install('numpy', 'six')))).toBe('Installed: numpy, six')
    expect(questions).toEqual([
      expect.stringMatching(/May the packages numpy, six be installed .*\n\nnumpy\nsix$/),
    ])
    expect(installed).toEqual(['numpy', 'six'])
    expect(await ledger.list()).toMatchObject([{ kind: 'install', state: 'finished', decidedBy: 'person' }])
  })

  it('installs nothing that a person denied', async () => {
    const ledger = new DecisionLedger()
    const { client } = await connected({
      ...{ ledger, allows: false },
      install: async () => expect.unreachable(),
    })
    expect(await client.callTool(install('numpy'))).toMatchObject({ isError: true })
    expect(await ledger.list()).toMatchObject([{ kind: 'install', state: 'denied' }])
  })
})

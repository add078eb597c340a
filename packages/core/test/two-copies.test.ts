import { randomUUID } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { z } from 'zod'
import type { CodeApprovalRequest } from '../src/approval/approval-request.ts'
import { asksForApproval } from '../src/approval/asks-about-code.ts'
import { DecisionLedger } from '../src/approval/decision-ledger.ts'
import { withDigest } from '../src/approval/digest.ts'
import { EchoExecutor } from '../src/approval/echo-executor.fixture.ts'
import { recordedCall } from '../src/approval/recorded-call.ts'
import { RememberedApprovals } from '../src/approval/remembered-approvals.ts'
import type { ToolApprovalRequest } from '../src/approval/tool-request.ts'
import { askingExecutor } from '../src/asking-executor.ts'
import { runApproved } from '../src/run-approved.ts'
import { SecondCopy } from './second-copy.fixture.ts'

const folder = join(import.meta.dirname, '../src')
const copy = await SecondCopy.create()
const other = await copy.load<typeof import('../src/index.ts')>('index.ts')
const otherInternal = await copy.load<typeof import('../src/internal.ts')>('internal.ts')
const otherDriver = await copy.load<typeof import('../src/driver.ts')>('driver.ts')
const otherEcho = await copy.load<typeof import('../src/approval/echo-executor.fixture.ts')>(
  'approval/echo-executor.fixture.ts',
)

afterAll(() => copy[Symbol.asyncDispose]())

function asking() {
  const requests: CodeApprovalRequest[] = []
  const executor = askingExecutor(new EchoExecutor(), {
    code: (request) => {
      requests.push(request)
      return { decision: 'allow', remember: 'code' }
    },
  })
  return { executor, requests }
}

const blocks = [{ language: 'sh', code: 'sh job.sh' }]

it('an executor that asks is known to another copy of this package', () => {
  expect(otherInternal.asksForApproval).not.toBe(asksForApproval)
  expect(otherInternal.asksForApproval(asking().executor)).toBe(true)
  expect(otherInternal.asksForApproval(new EchoExecutor())).toBe(false)
})

it('another copy of this package asks with what an agent knows of its code', async () => {
  const { executor, requests } = asking()
  const about = { context: 'I run this.', retryAttempt: 2 }
  await otherInternal.executeAbout(executor, blocks, { about })
  expect(requests).toMatchObject([{ context: 'I run this.', retryAttempt: 2 }])
})

it('copies of this package share remembered answers', async () => {
  const remembered = new RememberedApprovals()
  let asked = 0
  const ask = {
    code: () => {
      asked++
      return { decision: 'allow', remember: 'code' } as const
    },
  }
  await askingExecutor(new EchoExecutor(), ask, { remembered }).execute(blocks)
  await other.askingExecutor(new otherEcho.EchoExecutor(), ask, { remembered }).execute(blocks)
  expect(asked).toBe(1)
})

it('what one copy of this package ran for an answer, another does not run again', async () => {
  const { executor, requests } = asking()
  await executor.execute(blocks)
  const [request] = requests
  if (request === undefined) throw new Error('Nothing was asked.')
  const answer = { decision: 'allow' } as const
  await runApproved(new EchoExecutor(), { request, answer })
  const again = other.runApproved(new otherEcho.EchoExecutor(), { request, answer })
  await expect(again).rejects.toMatchObject({ code: 'APPROVAL_USED' })
})

it('copies of this package that share a ledger name a call whose end is unknown', async () => {
  const ledger = new DecisionLedger()
  const asked: ToolApprovalRequest[] = []
  const ask = async (request: object) => {
    asked.push(request as ToolApprovalRequest)
    return { decision: 'allow' } as const
  }
  const call = { ledger, ask, make: async () => 'sent', isLeftBehind: () => true }
  await recordedCall(toolRequest(), call)
  await otherInternal.recordedCall(toolRequest(), call)
  expect(asked.map(({ after }) => after)).toEqual([undefined, asked[0]?.id])
})

it('secrets of an executor of another copy of this package are in no question and no result', async () => {
  const secret = 'very-secret-value'
  const echo = otherDriver.defineExecutor({
    name: 'echo',
    languages: ['sh'],
    options: { env: z.record(z.string(), z.string()) },
    driver: ({ env }) => ({
      run: async (_block, { write }) => {
        await write('stdout', Buffer.from(`${env.TOKEN}\n`))
        return { exitCode: 0 }
      },
    }),
  })({ env: { TOKEN: secret }, redact: [secret] })
  const requests: CodeApprovalRequest[] = []
  const ask = {
    code: (request: CodeApprovalRequest) => {
      requests.push(request)
      return 'allow' as const
    },
  }
  const result = await askingExecutor(echo, ask).execute(blocks)
  expect(result.output).toBe('[redacted]\n')
  expect(requests).toMatchObject([{ target: { particulars: { env: 'TOKEN' } } }])
  expect(JSON.stringify([requests, result])).not.toContain(secret)
})

it('only values that stay within one copy of this package are recognized by their class or kept in a WeakMap', () => {
  const sources = [folder, join(folder, '../../../shared/src')]
    .flatMap((cwd) =>
      globSync('**/*.ts', { cwd, exclude: ['**/*.{test,fixture}.ts'] }).map((file) => join(cwd, file)),
    )
    .map((file) => readFileSync(file, 'utf8'))
    .join('\n')
  const found = (pattern: RegExp) => [...new Set([...sources.matchAll(pattern)].map(([, name]) => name))]
  const classes = found(/^(?:export )?(?:abstract )?class (\w+)/gm)
  const recognized = found(/ instanceof (\w+)/g).filter((name) => classes.includes(name))
  // Errors that the same module catches.
  expect(recognized.sort()).toEqual(['CallFailure', 'ContentError'])
  // Signals of other realms, and the engine of one executor.
  expect(found(/^const \w+ = new Weak(?:Map|Set)<(\w+)/gm).sort()).toEqual(['AbortSignal', 'EngineContext'])
})

function toolRequest(): ToolApprovalRequest {
  return withDigest({
    kind: 'tool' as const,
    id: randomUUID(),
    toolCallId: 'call',
    question: 'A program wants to call the tool send.',
    tool: 'send',
    input: { to: 'all' },
  })
}

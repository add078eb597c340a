import { expect, it } from 'vitest'
import type { CodeApprovalRequest } from './approval-request.ts'
import { approvedExecutor } from './approved-executor.ts'
import { asksForApproval } from './asking-executor.ts'
import { EchoExecutor } from './echo-executor.fixture.ts'

/** The module of another installed copy of this package. */
const secondCopy: string = new URL('./asking-executor.ts?second-copy', import.meta.url).href
const other: typeof import('./asking-executor.ts') = await import(secondCopy)

function asking() {
  const requests: CodeApprovalRequest[] = []
  const executor = approvedExecutor(new EchoExecutor(), {
    code: (request) => {
      requests.push(request)
      return { decision: 'allow', remember: 'code' }
    },
  })
  return { executor, requests }
}

const blocks = [{ language: 'sh', code: 'sh job.sh' }]

it('an executor that asks is known to another copy of this package', () => {
  expect(other.asksForApproval).not.toBe(asksForApproval)
  expect(other.asksForApproval(asking().executor)).toBe(true)
  expect(other.asksForApproval(new EchoExecutor())).toBe(false)
})

it('another copy of this package asks about files, and remembers no command of a session', async () => {
  const { executor, requests } = asking()
  const files = [{ path: 'job.sh', sizeBytes: 1, sha256: '0' }]
  for (let run = 0; run < 2; run++) await other.executeInSession(executor, blocks, { files })
  expect(requests).toMatchObject([
    { files, remembersCode: false },
    { files, remembersCode: false },
  ])
})

it('another copy of this package asks with what an agent knows of its code', async () => {
  const { executor, requests } = asking()
  await other.executeForAgent(executor, blocks, { about: { context: 'I run this.', retryAttempt: 2 } })
  expect(requests).toMatchObject([{ context: 'I run this.', retryAttempt: 2 }])
})

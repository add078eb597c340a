import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import type { NetworkApprovalRequest } from '../../src/approval/network-request.ts'
import { askedOnce } from '../../src/network/network-approvals.ts'

function heapBytes(): number {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  collect()
  return process.memoryUsage().heapUsed
}

const request: NetworkApprovalRequest = {
  kind: 'network',
  id: '1',
  digest: '',
  question: '?',
  host: 'a.test',
  port: 443,
}

it('keeps nothing of the questions that were answered', async () => {
  const ask = askedOnce(() => ({ decision: 'allow' }))
  const { signal } = new AbortController()
  const askOften = async () => {
    for (let count = 0; count < 20_000; count++) await ask(request, { signal })
  }
  await askOften()
  const before = heapBytes()
  await askOften()
  expect((heapBytes() - before) / 20_000, 'bytes per question').toBeLessThan(10)
})

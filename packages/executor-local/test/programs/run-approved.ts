import { once } from 'node:events'
import { type CodeApprovalRequest, fileLedger, runApproved } from '@fenced/core'
import { LocalCommandLineCodeExecutor } from '../../src/index.ts'

// Runs a request with its answer, when its parent says so, and prints what came of it.
const [request = '', ledgerPath = '', directory = ''] = process.argv.slice(2)
await using executor = new LocalCommandLineCodeExecutor({ workDir: directory, warm: false })
const kept = JSON.parse(request) as CodeApprovalRequest
process.stdout.write('ready\n')
await once(process.stdin, 'data')
const run = runApproved(
  executor,
  { request: kept, answer: { decision: 'allow' } },
  { ledger: fileLedger(ledgerPath) },
)
const outcome = await run.then(
  ({ status }) => status,
  (error) => error.code,
)
process.stdout.write(`${outcome}\n`)
process.stdin.destroy()

import type { FencedError, Notice } from '@fenced/core'
import { LocalCommandLineCodeExecutor } from '@fenced/executor-local'

// Starts an executor with the options of its argument, and tells what it heard.
const notices: Notice[] = []
try {
  await using executor = new LocalCommandLineCodeExecutor({
    ...JSON.parse(process.argv[2] ?? '{}'),
    isolation: 'bubblewrap',
  })
  await executor.start({ onNotice: (notice) => notices.push(notice) })
  const { status, isolation } = await executor.execute([{ language: 'sh', code: 'true' }])
  process.stdout.write(JSON.stringify({ notices, ran: status, particulars: isolation.particulars }))
} catch (error) {
  const { code, data } = error as FencedError
  process.stdout.write(JSON.stringify({ notices, error: { code, data } }))
}

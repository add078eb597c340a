import { describeExecutor } from '@fenced/contract'
import { rowTags } from '@fenced/testing'
import { afterAll, describe, it } from 'vitest'
import { executorIn } from './executor-of.ts'
import { TestNamespace } from './namespace.ts'
import { kubernetes } from './requirements.ts'

const namespace = kubernetes.missing ? undefined : await TestNamespace.create()

const rows = rowTags({
  nightly: [
    'thirteen faults (sh)',
    'sleeps for hours',
    '3 GB of memory',
    ...['life cycle', 'events', 'output', 'files'].map((chapter) => ({
      in: `: ${chapter} > `,
      except: ['start() is shared', 'after stop()'],
    })),
  ],
})

describe.skipIf(kubernetes.missing)('the contract', rows, () => {
  afterAll(() => namespace?.remove())

  describeExecutor(
    { describe: describe.concurrent, it },
    {
      name: 'kubernetes',
      create: (options) => executorIn(namespace?.name, { ...options, warm: false }),
      missingLanguages: ['javascript', 'typescript'],
      except: {
        'a planted link to /, then # filename: rootlink/tmp/…/evil.py':
          'links are not copied, so the name is free on this machine, and a directory takes the link’s place',
      },
    },
  )
})

import { describeExecutor } from '@fenced/contract'
import { rowTags } from '@fenced/testing'
import { afterAll, describe, it } from 'vitest'
import { executorIn } from './executor-of.ts'
import { TestNamespace } from './namespace.ts'
import { kubernetes } from './requirements.ts'

const namespace = kubernetes.missing ? undefined : await TestNamespace.create()

const rows = rowTags({ nightly: [{ except: [': results'] }] })

describe.skipIf(kubernetes.missing)('the contract, with a session', rows, () => {
  afterAll(() => namespace?.remove())

  describeExecutor(
    { describe: describe.concurrent, it },
    {
      name: 'kubernetes with a session',
      create: (options) => executorIn(namespace?.name, { ...options, stateful: true }),
      missingLanguages: ['javascript', 'typescript'],
      faultLanguages: ['python'],
      except: {
        'a planted link to /, then # filename: rootlink/tmp/…/evil.py':
          'links are not copied, so the name is free on this machine, and a directory takes the link’s place',
      },
    },
  )
})

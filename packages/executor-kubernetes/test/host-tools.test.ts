import { describeHostTools } from '@fenced/contract'
import { rowTags } from '@fenced/testing'
import { afterAll, describe, it } from 'vitest'
import { executorIn } from './executor-of.ts'
import { TestNamespace } from './namespace.ts'
import { kubernetes } from './requirements.ts'

const namespace = kubernetes.missing ? undefined : await TestNamespace.create()

const rows = rowTags({
  nightly: [{ in: ': host tools > ', except: ['a program passes values', 'programs in other languages'] }],
})

describe.skipIf(kubernetes.missing)('host tools', rows, () => {
  afterAll(() => namespace?.remove())

  describeHostTools(
    { describe, it },
    {
      name: 'kubernetes',
      create: () => executorIn(namespace?.name),
      withoutNode: 'the image of the tests has no Node',
    },
  )
})

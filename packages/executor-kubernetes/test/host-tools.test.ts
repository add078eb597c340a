import { describeHostTools } from '@fenced/contract'
import { afterAll, describe, it } from 'vitest'
import { executorIn } from './executor-of.ts'
import { TestNamespace } from './namespace.ts'
import { kubernetes } from './requirements.ts'

const namespace = kubernetes.missing ? undefined : await TestNamespace.create()

describe.skipIf(kubernetes.missing)('host tools', () => {
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

import { describeBackend } from '@fenced/contract'
import { rowTags } from '@fenced/testing'
import { afterAll, describe, it } from 'vitest'
import { placeIn } from './backend-under-test.ts'
import { TestNamespace } from './namespace.ts'
import { kubernetes } from './requirements.ts'

const namespace = kubernetes.missing ? undefined : await TestNamespace.create()

describe.skipIf(kubernetes.missing)('a pod', rowTags({ nightly: [': processes', ': archives'] }), () => {
  afterAll(() => namespace?.remove())

  describeBackend(
    { describe, it },
    {
      name: 'kubernetes',
      create: () => placeIn(namespace?.name ?? ''),
      module: `${import.meta.resolve('./backend-under-test.ts')}?${namespace?.name}`,
      commandsAtOnce: 16,
    },
  )
})

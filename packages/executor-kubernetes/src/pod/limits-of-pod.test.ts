import { expect, it } from 'vitest'
import { limitsOfPod } from './limits-of-pod.ts'

const podWith = (limits: Readonly<Record<string, string>>) => ({
  metadata: { name: 'a', uid: '1' },
  spec: { containers: [{ name: 'code', resources: { limits } }] },
})

it('reads the quantities of a pod, and leaves out what has no limit', ({ everyRow }) =>
  everyRow<[Readonly<Record<string, string>>, object]>(
    [
      [
        { memory: '2Gi', cpu: '1', 'ephemeral-storage': '2G' },
        { memoryBytes: 2 ** 31, cpus: 1, diskBytes: 2e9 },
      ],
      [
        { memory: '128974848', cpu: '500m' },
        { memoryBytes: 128_974_848, cpus: 0.5 },
      ],
      [{ memory: '1e3' }, { memoryBytes: 1_000 }],
      [{ memory: 'much' }, {}],
      [{}, {}],
    ],
    (limits, found) => expect(limitsOfPod(podWith(limits), undefined)).toEqual(found),
  ))

it('has the limit of processes that is set in the pod', () => {
  expect(limitsOfPod({ metadata: { name: 'a', uid: '1' } }, 256)).toEqual({ pids: 256 })
})

import { Engine } from '@fenced/sandbox-docker'
import { describe, expect, it } from 'vitest'
import { EngineProxy } from './faults/engine-proxy.ts'
import { type FalseAnswer, requests, ruleFor } from './faults/fault.ts'
import { outcomeOf, type Trial, tried } from './faults/trial.ts'
import { containersNamed, rawEngine } from './raw-engine.ts'
import { docker } from './requirements.ts'

/** What an engine says that cannot do it now; it does nothing. */
function refusal(status: number, message: string): FalseAnswer {
  return { answer: { status, type: 'application/json', body: JSON.stringify({ message }) }, isDone: false }
}

const zombie = refusal(
  500,
  'Could not kill running container 4f, cannot remove - container 4f PID 17 is zombie and can not be killed. Use the --init option when creating containers to run an init inside the container that forwards signals and reaps processes',
)

function removals({ seen }: Trial['proxy']): string[] {
  return seen.filter((request) => request.startsWith('DELETE /containers/'))
}

describe.skipIf(docker.missing)('an engine that cannot remove a container yet', { concurrent: true }, () => {
  it.each([
    ['could not kill it', zombie],
    [
      'heard nothing of its end',
      refusal(
        500,
        'cannot remove container "/4f": could not kill container: tried to kill container, but did not receive an exit event',
      ),
    ],
    [
      'found its files in use',
      refusal(
        500,
        'container 4f: driver "overlay2" failed to remove root filesystem: device or resource busy',
      ),
    ],
    ['removes it for somebody else', refusal(409, 'removal of container 4f is already in progress')],
  ])('is asked again: it %s', async (_, fault) => {
    await tried({}, async ({ proxy, executor, containerName }) => {
      await executor.start()
      const refuse = ruleFor(requests.remove, fault)
      proxy.add((request) => (removals(proxy).length <= 3 ? refuse(request) : undefined))
      await executor.stop()
      expect(await containersNamed(containerName)).toEqual([])
      expect(removals(proxy)).toHaveLength(4)
    })
  })

  it('and never can is an error in its words, after a while', async () => {
    using proxy = await EngineProxy.start()
    const engine = await Engine.connect(proxy.address)
    const raw = await rawEngine()
    const { id } = await raw.createContainer({ Image: 'fenced-test/busybox', Cmd: ['sleep', '60'] })
    const found = await engine.findContainer(id, { signal: AbortSignal.timeout(30_000) })
    proxy.inject(requests.remove, zombie)
    await expect(found?.container.remove({ limitMs: 1_000 })).rejects.toMatchObject({
      data: { reason: expect.stringContaining('zombie') },
    })
    expect(removals(proxy).length).toBeGreaterThan(1)
    engine.close()
    await raw.getContainer(id).remove({ force: true })
  })

  it('for another reason is an error at once', async () => {
    await tried({}, async ({ proxy, executor }) => {
      await executor.start()
      proxy.inject(requests.remove, refusal(500, 'the disk is on fire'))
      expect(await outcomeOf(executor.stop())).toMatchObject({
        code: 'ENGINE_FAILED',
        data: { reason: 'the disk is on fire' },
      })
      expect(removals(proxy)).toHaveLength(1)
    })
  })
})

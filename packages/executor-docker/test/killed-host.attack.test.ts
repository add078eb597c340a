import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { uniqueSeconds } from '@fenced/testing'
import { describe, expect, it, onTestFinished } from 'vitest'
// @boundaries-ignore Test helper of several packages; no package exports it.
import { inOwnRealm } from '../../../testing/own-realm.ts'
import { containersNamed, rawEngine } from './raw-engine.ts'
import { docker } from './requirements.ts'

/**
 * First the engine starts what it starts beside a block: it removes no container while one of its own processes there, `runc init`, is stopped. A
 * later round stops what began during an earlier one.
 */
const stopsAll = {
  sh: 'sleep 3; for round in 1 2 3 4 5; do kill -STOP -1; sleep 0.2; done; kill -STOP $$',
  python: `import os, signal, time
time.sleep(3)
for _ in range(5):
    os.kill(-1, signal.SIGSTOP)
    time.sleep(0.2)
os.kill(os.getpid(), signal.SIGSTOP)`,
}

/** Waits until every process is stopped that the code's user could stop. */
async function untilStopped(name: string): Promise<void> {
  const container = (await rawEngine()).getContainer(name)
  for (;;) {
    const top = await container.top({ ps_args: '-o pid,user,stat,args' }).catch(() => undefined)
    const others = top?.Processes.filter(([, user = '']: string[]) => !user.startsWith('6499')) ?? []
    const states: string[] = others.map(([, , state = '']: string[]) => state)
    if (states.length > 0 && states.every((state) => state.startsWith('T'))) return
    await delay(50)
  }
}

describe.skipIf(docker.missing)('a container whose block stops every process that it can', () => {
  it.each(Object.entries(stopsAll))('ends with a host that is killed: %s', async (language, code) => {
    const containerName = `fenced-test-killed-host-${uniqueSeconds()}`
    const options = JSON.stringify({ image: 'fenced-test/python', containerName })
    const program = join(import.meta.dirname, 'programs', 'forget.ts')
    // Otherwise the next start of another test may remove the container.
    const args = ['--conditions=@fenced/source', ...inOwnRealm, program, options, language, code]
    const host = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] })
    onTestFinished(() => void host.kill('SIGKILL'))
    onTestFinished(async () => {
      const raw = await rawEngine()
      for (const { Id } of await containersNamed(containerName))
        await raw.getContainer(Id).remove({ force: true })
    })
    const ended = once(host, 'exit')
    expect(await Promise.race([untilStopped(containerName), ended])).toBeUndefined()
    host.kill('SIGKILL')
    await ended
    while ((await containersNamed(containerName)).length > 0) await delay(50)
  })
})

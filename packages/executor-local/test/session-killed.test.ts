// @module-tag all

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { processesLeft, uniqueSeconds } from '@fenced/testing'
import { describe, expect, it, onTestFinished } from 'vitest'
import { bubblewrap, python } from './requirements.ts'

describe.skipIf(process.platform !== 'linux' || python.missing)('a killed host', () => {
  it.each(bubblewrap.missing ? ['none'] : ['none', 'bubblewrap'])(
    'leaves nothing of its session: %s',
    async (isolation) => {
      const seconds = uniqueSeconds()
      const file = join(import.meta.dirname, 'programs/host-with-session.ts')
      const args = ['--conditions=@fenced/source', file, JSON.stringify({ isolation }), `${seconds}`]
      const host = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
      onTestFinished(() => void host.kill('SIGKILL'))
      const [text] = await once(host.stdout, 'data')
      const ids = String(text).trim().split(' ')
      host.kill('SIGKILL')
      expect(await processesLeft(`sleep ${seconds}`)).toEqual([])
      if (isolation === 'none') for (const id of ids) while (existsSync(`/proc/${id}`)) await delay(20)
    },
  )
})

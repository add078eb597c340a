import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { Sandbox, SandboxProcess } from '@fenced/core/sandbox'
import type { SandboxRow } from './sandbox-row.ts'

/** Starts a shell that reports that it is ready, and continues. */
async function ready(sandbox: Sandbox, script: string): Promise<SandboxProcess> {
  const process = await sandbox.spawn(['/bin/sh', '-c', `${script}\necho ready\nsleep 1000\n:`])
  await once(process.stdout, 'data')
  return process
}

export const usageRows: readonly SandboxRow[] = [
  {
    name: 'its usage has the processor time and the number of its processes, or leaves them out',
    async check(sandbox) {
      const before = await sandbox.usage()
      const busy = 'i=0; while [ $i -lt 100000 ]; do i=$((i + 1)); done; sleep 1000 & sleep 1000 &'
      const process = await ready(sandbox, busy)
      const { cpuMs, processes } = await sandbox.usage()
      await process.kill()
      if (cpuMs !== undefined) assert.ok(cpuMs >= (before.cpuMs ?? 0) + 20, `${before.cpuMs} ${cpuMs}`)
      if (processes !== undefined)
        assert.ok(processes >= (before.processes ?? 0) + 3, `${before.processes} ${processes}`)
    },
  },
  {
    name: 'its usage has the memory of its processes, now and at most, or leaves them out',
    async check(sandbox) {
      const before = await sandbox.usage()
      const process = await ready(sandbox, 'text=$(head -c 30000000 /dev/zero | tr "\\0" x)')
      const during = await sandbox.usage()
      await process.kill()
      const after = await sandbox.usage()
      const { memoryBytes, peakMemoryBytes } = during
      if (memoryBytes !== undefined) {
        assert.ok(
          memoryBytes >= (before.memoryBytes ?? 0) + 25_000_000,
          `${before.memoryBytes} ${memoryBytes}`,
        )
        assert.ok(memoryBytes >= (after.memoryBytes ?? 0) + 25_000_000, `${memoryBytes} ${after.memoryBytes}`)
      }
      if (peakMemoryBytes !== undefined) assert.ok(peakMemoryBytes > 30_000_000, `${peakMemoryBytes}`)
    },
  },
  {
    name: 'its usage has the disk space of the working directory',
    async check(sandbox) {
      await sandbox.files.write('large', Buffer.alloc(1_000_000, 'x'))
      const { diskBytes = 0 } = await sandbox.usage()
      await sandbox.files.remove('large')
      const { diskBytes: after = 0 } = await sandbox.usage()
      assert.ok(diskBytes - after > 900_000, `${diskBytes} ${after}`)
    },
  },
]

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { readdir, rm } from 'node:fs/promises'
import { FencedError } from '@fenced/core'
import type { ExecutorSandbox } from '@fenced/core/sandbox'
import type { ContractRow } from './contract.ts'

/** From the constructor to `stop`. */
export const lifeCycleRows: readonly ContractRow[] = [
  {
    name: 'start() is shared by calls at the same time, and stop() may be called again',
    needs: ['print'],
    async check({ create, programs: { print }, block }) {
      await using executor = create()
      await Promise.all([executor.start(), executor.start()])
      assert.equal((await executor.execute([block(print('7'))])).output, '7\n')
      await Promise.all([executor.stop(), executor.stop()])
      await executor.stop()
    },
  },
  {
    name: 'after stop() nothing runs until start() is called again',
    needs: ['print'],
    async check({ create, programs: { print }, block }) {
      await using executor = create()
      await executor.start()
      await executor.stop()
      await assert.rejects(
        async () => await executor.execute([block(print('7'))]),
        (error) => FencedError.isInstance(error) && error.code === 'EXECUTOR_STOPPED',
      )
      await executor.start()
      assert.equal((await executor.execute([block(print('7'))])).output, '7\n')
    },
  },
  {
    name: 'restart() keeps the files and starts afresh',
    needs: ['writeFile', 'print'],
    async check({ create, programs: { writeFile, print }, block }) {
      await using executor = create()
      await executor.execute([block(writeFile('kept.txt', 'kept'))])
      await executor.restart()
      assert.equal((await executor.execute([block(print('7'))])).output, '7\n')
      if (executor.workDir !== undefined) assert.ok((await readdir(executor.workDir)).includes('kept.txt'))
    },
  },
  {
    name: 'where blocks run in a sandbox, processes run beside them while the executor is started',
    needs: ['print'],
    unless: ({ executor: { sandbox } }) =>
      sandbox === undefined ? 'its blocks run in no sandbox' : undefined,
    async check({ create, programs, block }) {
      await using executor = create()
      const sandbox = executor.sandbox as ExecutorSandbox
      await executor.start()
      const found = [...(await sandbox.which(['sh'])).values()]
      const beside = await sandbox.spawn(
        [found[0] ?? 'sh', '-c', 'while :; do read -r text; echo "$text"; done'],
        {
          stdin: 'open',
        },
      )
      assert.equal((await executor.execute([block(programs.print('7'))])).output, '7\n')
      beside.stdin?.write('lives\n')
      assert.equal(String(await once(beside.stdout, 'data')), 'lives\n')
      await beside.kill()
      assert.partialDeepStrictEqual(await beside.ended, { kind: 'exited', wasStopped: true })
      await executor.stop()
      if (sandbox.id === undefined) await assert.rejects(sandbox.spawn(['sh']), { code: 'SANDBOX_GONE' })
    },
  },
  {
    name: 'the working directory is known before the start, and constructing makes nothing',
    needs: ['print'],
    async check({ create, programs: { print }, block }) {
      await using executor = create()
      const { workDir } = executor
      if (workDir !== undefined) assert.equal(existsSync(workDir), false)
      await executor.execute([block(print('7'))])
      assert.equal(executor.workDir, workDir)
      await executor.stop()
      if (workDir !== undefined)
        assert.equal(existsSync(workDir), false, 'a temporary directory goes with the executor')
    },
  },
  {
    name: 'cancelling during start() leaves nothing behind, and a later start works',
    needs: ['print'],
    async check({ create, programs: { print }, block }) {
      await using executor = create()
      const controller = new AbortController()
      const reason = new Error('changed my mind')
      const start = executor.start({ signal: controller.signal })
      controller.abort(reason)
      await assert.rejects(start, reason)
      if (executor.workDir !== undefined) assert.equal(existsSync(executor.workDir), false)
      assert.equal((await executor.execute([block(print('7'))])).output, '7\n')
    },
  },
  {
    name: 'a working directory that was deleted between two calls is said and made again',
    needs: ['print'],
    unless: ({ capabilities: { stateful }, executor: { workDir }, language }) =>
      stateful.includes(language) || workDir === undefined
        ? 'its blocks are not files of a directory of this machine'
        : undefined,
    async check({ create, programs: { print }, block }) {
      await using executor = create()
      await executor.execute([block(print('7'))])
      await rm(executor.workDir as string, { recursive: true })
      const result = await executor.execute([block(print('7'))])
      assert.partialDeepStrictEqual(result, { status: 'ok', output: '7\n' })
      // Others may follow, as where something has to start afresh for it.
      assert.equal(result.blocks[0]?.notices[0]?.code, 'work-dir-recreated')
      assert.equal((await executor.execute([block(print('7'))])).blocks[0]?.notices.length, 0)
    },
  },
]

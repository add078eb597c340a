// @module-tag all

import type { Notice } from '@fenced/core'
import { expect, it } from 'vitest'
import { runInstaller } from '../src/install/run-installer.ts'

it('shows no login of an address or a variable in notices and errors', async () => {
  const notices: Notice[] = []
  const requirement = 'own @ https://me:s3cret@index.test/own.whl'
  const failing = [process.execPath, '-e', 'console.log(...process.argv); process.exit(1)'] as const
  const running = runInstaller(
    {
      command: [...failing, requirement, 'https://me:0ther@index.test/simple'],
      installEnv: { PIP_INDEX_URL: 'https://me:0ther@index.test/simple' },
      installTimeoutMs: 60_000,
      doing: 'install own',
      values: { packages: 'own' },
    },
    { onNotice: (notice) => notices.push(notice) },
  )
  const error = await running.catch((reason: unknown) => reason)
  expect(error).toMatchObject({ code: 'INSTALL_FAILED' })
  const seen = JSON.stringify([notices, error, String(error)])
  expect(seen).toContain('own @ https://[redacted]@index.test/own.whl')
  expect(seen).not.toMatch(/s3cret|0ther/)
})

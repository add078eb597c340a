import { z } from '@fenced/core/zod'
import { expect, it } from 'vitest'
import { refusal, toolDescription, toolInputSchema } from './tool-messages.ts'

it('models read no login of a package that may be installed', () => {
  const installablePackages = ['own @ git+https://t0ken@git.test/own', 'numpy']
  const words = { installablePackages, timeoutMs: 1_000 }
  const schema = JSON.stringify(z.toJSONSchema(toolInputSchema(words)))
  const read = [toolDescription(words), schema, refusal('x @ https://me:t0ken@a.test/x', installablePackages)]
  for (const text of read) {
    expect(text).toContain('own @ git+https://[redacted]@git.test/own')
    expect(text).not.toContain('t0ken')
  }
})

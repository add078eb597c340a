import { afterAll, expect, test, vi } from 'vitest'
import { config, string } from 'zod'
import { de, en } from 'zod/locales'

afterAll(() => {
  config(en())
})

const message = () => string().safeParse(1).error?.issues[0]?.message

test('the language of errors that an application has chosen for zod stays', async () => {
  config(de())
  const german = message()
  vi.resetModules()
  const { z } = await import('./zod.ts')
  expect(german).not.toContain('Invalid input')
  expect(message()).toBe(german)
  expect(z.string().safeParse(1).error?.issues[0]?.message).toBe(german)
})

// @module-tag all

import { processesLeft, uniqueSeconds } from '@fenced/testing'
import { expect, test } from 'vitest'
import { type CaptureOptions, captureOutput } from '../src/capture-output.ts'

const shell = (script: string, options: Partial<CaptureOptions> = {}) =>
  captureOutput(['sh', '-c', script], { env: process.env, ...options })

test('what a program prints is kept by stream, and all of it together', async () => {
  const { all, ...captured } = await shell('echo one; echo two >&2; pwd')
  expect(captured).toEqual({ stdout: 'one\n/\n', stderr: 'two\n', exitCode: 0, failure: undefined })
  expect(all.split('\n').sort()).toEqual(['', '/', 'one', 'two'])
})

test('a program reads its input to the end, or does not read it', async () => {
  const input = 'x'.repeat(2 ** 20)
  expect(await shell('wc -c', { input })).toMatchObject({ stdout: `${2 ** 20}\n`, failure: undefined })
  expect(await shell('echo not read', { input })).toMatchObject({ stdout: 'not read\n', failure: undefined })
  expect(await shell('wc -c')).toMatchObject({ stdout: '0\n' })
})

test('a failure is a sentence', async () => {
  expect(await shell('exit 3')).toMatchObject({ exitCode: 3, failure: 'sh ended with exit code 3.' })
  expect(await captureOutput(['/no/such/program'], { env: {} })).toMatchObject({
    exitCode: 127,
    failure: expect.stringMatching(/^\/no\/such\/program could not be started: /),
  })
  expect(await shell('echo begun; sleep 60', { timeoutMs: 5_000 })).toMatchObject({
    stdout: 'begun\n',
    failure: 'sh did not end within 5000 ms.',
  })
})

test('of much output the end is kept, and characters stay whole', async () => {
  const { stdout, all } = await shell(`yes | head -n 3000000; printf '\\303'; sleep 0.1; printf '\\251'`, {
    maxLength: 5,
  })
  expect([stdout, all]).toEqual(['y\ny\né', 'y\ny\né'])
})

test('a child that holds the output holds nothing up, and is gone', async () => {
  const seconds = uniqueSeconds()
  expect(await shell(`sleep ${seconds} & echo asked`)).toMatchObject({
    stdout: 'asked\n',
    failure: undefined,
  })
  expect(await processesLeft(`${seconds}`)).toEqual([])
})

test('a signal ends it with its reason', async () => {
  const seconds = uniqueSeconds()
  const reason = new Error('not wanted')
  const controller = new AbortController()
  setTimeout(() => controller.abort(reason), 200)
  await expect(shell(`sleep ${seconds}; true`, { signal: controller.signal })).rejects.toBe(reason)
  expect(await processesLeft(`${seconds}`)).toEqual([])
})

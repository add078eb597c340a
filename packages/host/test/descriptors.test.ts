// @module-tag all

import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { expect, test } from 'vitest'

const linux = process.platform === 'linux'
const bubblewrap = spawnSync('bwrap', ['--ro-bind', '/', '/', 'true']).status === 0

/** Runs a program of Node behind lines of bash, whose last line begins with `exec`, and returns its output. */
async function behind(lines: string, program: string): Promise<string> {
  const command = `${lines} "$0" --conditions=@fenced/source --input-type=module --eval "$1"`
  const imports = `
    import { runProcess } from '@fenced/host'
    const io = { signal: new AbortController().signal, write(_, chunk) { process.stdout.write(chunk) } }`
  const host = spawn('bash', ['-c', command, process.execPath, imports + program], {
    cwd: `${import.meta.dirname}/../../executor-local`,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [output] = await Promise.all([host.stdout.toArray(), once(host, 'exit')])
  return output.join('')
}

test('a program without free descriptors is an error, and loses none', async () => {
  // A descriptor beyond the limit could not be replaced in a child.
  const close =
    'for f in /proc/$$/fd/*; do n=$(basename $f); [ $n -gt 99 ] && [ $n -ne 255 ] && eval "exec $n>&-"; done'
  const output = await behind(
    `${close}; ulimit -n 100; exec`,
    `
    import { openSync, closeSync } from 'node:fs'
    import { openDescriptors, quietCount } from '@fenced/testing'
    const run = () => runProcess(['true'], { cwd: '/' }, io).then(({ exitCode }) => exitCode, ({ code }) => code)
    const count = () => openDescriptors().size
    const results = [await run()]
    const before = await quietCount(count, 300)
    const taken = []
    try { for (;;) taken.push(openSync('/dev/null')) } catch {}
    for (const descriptor of taken.splice(0, 5)) closeSync(descriptor)
    results.push(await run())
    for (const descriptor of taken) closeSync(descriptor)
    results.push(await run(), (await quietCount(count, 300)) - before)
    process.stdout.write(results.join())`,
  )
  expect(output).toBe('0,NO_RESOURCES,0,0')
})

test.runIf(linux)('a descriptor beyond the limit is an error that names both', async () => {
  const output = await behind(
    'exec 150</dev/null; ulimit -n 100; exec',
    `
    await runProcess(['true'], { cwd: '/' }, io).catch(({ code, data }) =>
      process.stdout.write(JSON.stringify({ code, data })))`,
  )
  expect(JSON.parse(output)).toEqual({
    code: 'NO_RESOURCES',
    data: { descriptor: expect.stringMatching(/^\d+$/), limit: '100' },
  })
})

// Node marks descriptors up to 15 itself, so that no child inherits them.
test.runIf(bubblewrap)('without /proc, a program starts and inherits no descriptor', async () => {
  const output = await behind(
    'exec 99<<<secret; exec bwrap --bind / / --dev-bind /dev /dev --tmpfs /proc --chdir "$PWD"',
    `
    const { exitCode } = await runProcess(['bash', '-c', 'cat <&99'], { cwd: '/' }, io)
    process.stdout.write(String(exitCode))`,
  )
  expect(output).toBe('0')
})

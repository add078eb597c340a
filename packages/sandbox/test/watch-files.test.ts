import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FileEvent, Sandbox } from '@fenced/core/sandbox'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ProcessFiles } from '../src/index.ts'
import { busybox, spawnWith } from './busybox.ts'
import { localSandbox } from './local-sandbox.ts'
import { pythonPath } from './python.ts'

const { sandbox } = localSandbox()
const programs = mkdtempSync(join(tmpdir(), 'fenced-test-programs-'))
beforeAll(() => sandbox.start())
afterAll(async () => {
  await sandbox.stop()
  rmSync(programs, { recursive: true })
})

/** `spawn` that finds the programs of the system, but for `python3` only this script. */
function spawnWithPython(name: string, script?: string): Sandbox['spawn'] {
  const path = join(programs, name)
  mkdirSync(path)
  const links = new Map<string, string>()
  for (const folder of ['/usr/bin', '/bin']) {
    for (const tool of readdirSync(folder).filter((each) => !each.startsWith('python')))
      links.set(tool, join(folder, tool))
  }
  for (const [tool, target] of links) symlinkSync(target, join(path, tool))
  if (script !== undefined) {
    writeFileSync(join(path, 'python3'), `#!/bin/sh\n${script}\n`)
    chmodSync(join(path, 'python3'), 0o755)
  }
  return (command, options) => sandbox.spawn(command, { ...options, env: { ...options?.env, PATH: path } })
}

const withoutInotify = `
for each; do program=$4; break; done
shift 4
exec '${pythonPath}' -I -S -c 'import sys
sys.modules["ctypes"] = None
exec(sys.argv.pop(1))' "$program" "$@"`

async function shell(script: string, cwd: string): Promise<void> {
  await (await sandbox.spawn(['/bin/sh', '-c', script], { cwd })).ended
}

function filesWith(spawn: Sandbox['spawn']): ProcessFiles {
  return new ProcessFiles({ spawn, directory: sandbox.directory })
}

describe.each([
  ['Python and no inotify', false, () => spawnWithPython('polling', withoutInotify)],
  ['no Python', false, () => spawnWithPython('none')],
  ['BusyBox', busybox.missing, () => spawnWith('busybox', sandbox)],
] as const)('watching with %s', (kind, isMissing, spawn) => {
  const tags = kind === 'no Python' ? 'all' : 'nightly'

  it.skipIf(isMissing)('reports what programs change, and ends with the directory', { tags }, async () => {
    const name = kind.replaceAll(' ', '-')
    const directory = join(sandbox.directory, name)
    mkdirSync(join(directory, 'old'), { recursive: true })
    for (const file of ['change', 'move', 'remove']) writeFileSync(join(directory, file), '1')
    const watch = await filesWith(spawn()).watch(name, { recursive: true })
    const script =
      'echo 2 >> change; mv move moved; rm remove; mkdir new; echo 1 > "new/a\nb"; echo 1 > old/file; chmod 700 old'
    await shell(script, directory)
    const events: FileEvent[] = []
    for await (const event of watch) {
      events.push(event)
      if (events.length === 7) await shell(`rm -r '${directory}'`, '/')
    }
    expect(
      events
        .slice(0, 7)
        .map(({ kind, path }) => `${kind} ${path}`)
        .toSorted(),
    ).toEqual([
      'changed change',
      'created moved',
      'created new',
      'created new/a\nb',
      'created old/file',
      'removed move',
      'removed remove',
    ])
    expect(events.at(-1)).toEqual({ kind: 'removed', path: '.' })
  })
})

it.each([
  ['other words', 'echo changes; echo \'["ready"]\'; echo \'["created"]\'; exec sleep 60'],
  ['no JSON', 'echo \'["ready"]\'; echo "{"; exec sleep 60'],
  ['no end of a line', 'echo \'["ready"]\'; head -c 100000 /dev/zero; exec sleep 60'],
])('a program that prints %s in place of the changes ends the watch', async (name, script) => {
  const files = filesWith(spawnWithPython(name, `[ "$#" -gt 4 ] || exit 0; ${script}`))
  const reading = (async () => {
    for await (const _ of await files.watch('.'));
  })()
  await expect(reading).rejects.toMatchObject({ code: 'FILE_REFUSED' })
})

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { text } from 'node:stream/consumers'
import type { FileEvent, Sandbox } from '@fenced/core/sandbox'
import type { SandboxRow } from './sandbox-row.ts'

async function shell(sandbox: Sandbox, script: string): Promise<string> {
  const process = await sandbox.spawn(['/bin/sh', '-c', script])
  return text(process.stdout)
}

/** Reads events until all of these have come. Their order and further events do not count. */
async function untilAll(watch: AsyncIterable<FileEvent>, wanted: readonly string[]): Promise<void> {
  const missing = new Set(wanted)
  for await (const { kind, path } of watch) {
    missing.delete(`${kind} ${path}`)
    if (missing.size === 0) return
  }
  assert.fail(`did not come: ${[...missing].join(', ')}`)
}

/** Ends when no process has a word in its command line. The script itself has it in two parts. */
const untilGone = (word: string) => `
count=1
while [ $count -gt 0 ]; do
  count=0
  for each in /proc/[0-9]*; do
    case $(tr '\\0' ' ' < $each/cmdline 2> /dev/null) in *${word.slice(0, 8)}''${word.slice(8)}*) count=$((count + 1)) ;; esac
  done
done
`

const refused = { code: 'FILE_REFUSED' }

export const sandboxWatchRows: readonly SandboxRow[] = [
  {
    name: 'a watch reports what programs create, change, move and remove, also in new directories',
    async check(sandbox) {
      await shell(
        sandbox,
        'mkdir -p seen/old; cd seen; for each in change move remove; do echo 1 > $each; done',
      )
      const watch = await sandbox.files.watch('seen', { recursive: true })
      const script =
        'cd seen; echo 2 >> change; mv move moved; rm remove; mkdir -p new/deep; echo 1 > new/deep/file; echo 1 > old/file; ln -s x link'
      const expected = [
        'changed change',
        ...['removed move', 'created moved', 'removed remove'],
        ...['created new', 'created new/deep', 'created new/deep/file', 'created old/file', 'created link'],
      ]
      await Promise.all([untilAll(watch, expected), shell(sandbox, script)])
    },
  },
  {
    name: 'a watch reports files that are written, as created and then as changed, and none that Fenced makes for a moment',
    async check(sandbox) {
      const { files } = sandbox
      await files.makeDirectory('written')
      await using watch = await files.watch('written')
      const events = watch[Symbol.asyncIterator]()
      const seen: string[] = []
      const until = async (wanted: string) => {
        while (seen.at(-1) !== wanted) {
          const { value } = await events.next()
          seen.push(`${value?.kind} ${value?.path}`)
        }
      }
      await files.write('written/a', '1')
      await until('created a')
      await files.write('written/a', '2')
      await until('changed a')
      await files.write('written/b', '1')
      await until('created b')
      assert.deepEqual(
        seen.filter((each) => !/ [ab]$/.test(each)),
        [],
      )
    },
  },
  {
    name: 'a watch without `recursive` reports only what is in the directory',
    async check(sandbox) {
      await shell(sandbox, 'mkdir -p flat/below')
      const watch = await sandbox.files.watch('flat')
      const seen: string[] = []
      const script = 'cd flat; echo 1 > below/file; echo 1 > last'
      const reading = (async () => {
        for await (const { path } of watch) {
          seen.push(path)
          if (path === 'last') return
        }
      })()
      await Promise.all([reading, shell(sandbox, script)])
      assert.deepEqual(
        seen.filter((path) => path !== 'last'),
        [],
      )
    },
  },
  {
    name: 'a slow reader of a watch holds it up, and gets the last state of every entry',
    async check(sandbox) {
      await shell(sandbox, 'mkdir many')
      const watch = await sandbox.files.watch('many')
      const script = `cd many
        i=0; while [ $i -lt 3000 ]; do : > ${'x'.repeat(50)}$i; i=$((i + 1)); done; rm *; : > last`
      await shell(sandbox, script)
      const left = new Set<string>()
      for await (const { kind, path } of watch) {
        if (kind === 'removed') left.delete(path)
        else left.add(path)
        if (left.has('last') && left.size === 1) break
      }
      assert.deepEqual([...left], ['last'])
    },
  },
  {
    name: 'a watch ends with its loop, its signal and its directory, and leaves no process',
    unless: ({ files }) =>
      files === 'directory' ? 'each of its processes sees only itself, or all' : undefined,
    async check(sandbox) {
      const directory = `ends-${randomUUID()}`
      await sandbox.files.makeDirectory(directory)
      const controller = new AbortController()
      const reason = new Error('not wanted')
      const { signal } = controller
      const start = () => sandbox.files.watch(directory, { signal })
      const [first, second, third] = await Promise.all([start(), start(), start()])
      await first[Symbol.asyncDispose]()
      await Promise.all([untilAll(second, ['created file']), shell(sandbox, `echo 1 > ${directory}/file`)])
      controller.abort(reason)
      await assert.rejects(untilAll(third, ['nothing']), reason)
      const last = await sandbox.files.watch(directory)
      await Promise.all([untilAll(last, ['removed .']), shell(sandbox, `rm -r ${directory}`)])
      await shell(sandbox, untilGone(directory))
    },
  },
  {
    name: 'a watch of a file, a link, a missing directory or a cancelled one is refused',
    async check(sandbox) {
      await shell(sandbox, 'mkdir unwatched; cd unwatched; echo 1 > file; ln -s . link')
      const paths = ['missing', 'unwatched/file', 'unwatched/link', 'a\0b']
      const check = (path: string) => assert.rejects(sandbox.files.watch(path), refused, path)
      await Promise.all(paths.map(check))
      const reason = new Error('not wanted')
      await assert.rejects(sandbox.files.watch('.', { signal: AbortSignal.abort(reason) }), reason)
    },
  },
]

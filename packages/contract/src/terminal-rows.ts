import assert from 'node:assert/strict'
import { text } from 'node:stream/consumers'
import { processesLeft, uniqueSeconds } from '@fenced/testing'
import type { SandboxRow } from './sandbox-row.ts'
import { Screen, screenSize } from './screen.ts'

export const terminalRows: readonly SandboxRow[] = [
  {
    name: 'a program has a terminal of the given size, whose output is one stream',
    async check(sandbox) {
      const screen = await Screen.shell(
        sandbox,
        'test -t 0 && test -t 1 && test -t 2 && echo "$TERM"; stty size; echo error >&2; exit 7',
      )
      assert.equal(await screen.exitCode(), 7)
      assert.equal(screen.text, 'xterm-256color\r\n30 100\r\nerror\r\n')
    },
  },
  {
    name: 'a new size reaches the program with SIGWINCH',
    async check(sandbox) {
      const screen = await Screen.shell(
        sandbox,
        "trap 'stty size; exit 0' WINCH; echo ready; while :; do sleep 0.05; done",
      )
      await screen.shows('ready')
      await screen.process.resize?.({ columns: 132, rows: 43 })
      assert.equal(await screen.exitCode(), 0)
      assert.match(screen.text, /43 132\r\n$/)
      await assert.rejects(async () => screen.process.resize?.({ columns: 0, rows: 43 }), {
        code: 'INVALID_OPTIONS',
      })
    },
  },
  {
    name: 'Ctrl-C interrupts the program in the foreground, and its shell continues',
    async check(sandbox) {
      const screen = await Screen.shell(
        sandbox,
        "trap : INT; sh -c 'echo ready; exec sleep 100'; echo code $?; exit 5",
      )
      await screen.shows('ready')
      screen.type('\x03')
      assert.equal(await screen.exitCode(), 5)
      assert.match(screen.text, /code 130\r\n$/)
    },
  },
  {
    name: 'the end of stdin is Ctrl-D: a program that reads lines ends in its own way',
    async check(sandbox) {
      const screen = await Screen.shell(sandbox, 'cat; echo end')
      screen.type('typed\n')
      await screen.shows('typed\r\ntyped\r\n')
      screen.process.stdin?.end()
      assert.equal(await screen.exitCode(), 0)
      assert.match(screen.text, /end\r\n$/)
    },
  },
  {
    name: 'Ctrl-Z stops a job of an interactive shell, which can continue it',
    needs: 'bash',
    async check(sandbox, _, bash) {
      const screen = await Screen.open(sandbox, [bash, '--norc', '-i'], { env: { PS1: '$ ' } })
      // The command that is typed differs from what it shows.
      screen.type(`sh -c 'echo re"ad"y; exec cat'\n`)
      await screen.shows('ready')
      screen.type('before\n')
      await screen.shows('before\r\nbefore')
      screen.type('\x1a')
      await screen.shows('Stopped')
      screen.type('fg\n')
      await screen.shows(/fg\r\n[\s\S]*exec cat/)
      screen.type('after\n')
      await screen.shows('after\r\nafter')
      screen.type('\x04')
      screen.type('exit 4\n')
      assert.equal(await screen.exitCode(), 4)
    },
  },
  {
    name: 'a hang-up ends everything in the terminal, also jobs in the background and in other sessions',
    async check(sandbox) {
      const seconds = uniqueSeconds()
      const screen = await Screen.shell(
        sandbox,
        `trap '' HUP; sleep ${seconds} & setsid sleep ${seconds} & env -i sleep ${seconds} & echo ready; wait`,
      )
      await screen.shows('ready')
      screen.process.stdin?.destroy()
      await screen.process.ended
      assert.deepEqual(await processesLeft(`${seconds}`), [])
    },
  },
  {
    name: 'the end of the program ends its jobs, and its last output comes whole',
    async check(sandbox) {
      const seconds = uniqueSeconds()
      const screen = await Screen.shell(
        sandbox,
        `sleep ${seconds} & head -c 50000 /dev/zero | tr '\\0' x; exit 3`,
      )
      assert.equal(await screen.exitCode(), 3)
      assert.equal(screen.bytes.length, 50_000)
      assert.deepEqual(await processesLeft(`${seconds}`), [])
    },
  },
  {
    name: 'SIGTERM and kill reach the program in the terminal',
    async check(sandbox) {
      const screen = await Screen.shell(
        sandbox,
        "trap 'exit 7' TERM; echo ready; while :; do sleep 0.1; done",
      )
      await screen.shows('ready')
      await screen.process.signal('SIGTERM')
      assert.partialDeepStrictEqual(await screen.process.ended, {
        kind: 'exited',
        exitCode: 7,
        wasStopped: true,
      })
      const other = await Screen.shell(sandbox, "trap '' TERM HUP; echo ready; while :; do sleep 0.1; done")
      await other.shows('ready')
      assert.equal(await other.process.kill(), 'ended')
    },
  },
  {
    name: 'an aborted signal ends a program that ignores SIGTERM, and a program that is not there did not start',
    async check(sandbox) {
      const controller = new AbortController()
      const screen = await Screen.open(
        sandbox,
        ['/bin/sh', '-c', "trap '' TERM; echo ready; while :; do sleep 0.1; done"],
        { signal: controller.signal, killGraceMs: 100 },
      )
      await screen.shows('ready')
      controller.abort()
      assert.partialDeepStrictEqual(await screen.process.ended, { kind: 'exited', wasStopped: true })
      const missing = await Screen.open(sandbox, ['/no/such/program'])
      assert.partialDeepStrictEqual(await missing.process.ended, { kind: 'not-started', reason: 'not-found' })
    },
  },
  {
    name: 'a megabyte that is pasted arrives whole, also while the program does not read it',
    async check(sandbox) {
      const screen = await Screen.shell(
        sandbox,
        'stty raw -echo; echo ready; head -c 1 > /dev/null; echo first; sleep 0.5; head -c 1048575 | cksum',
      )
      await screen.shows('ready')
      screen.type(Buffer.alloc(2 ** 20, 'x'))
      await screen.shows('first')
      assert.equal(await screen.exitCode(), 0)
      assert.match(screen.text, / 1048575\s/)
    },
  },
  {
    name: 'a reader that stops holds up the program, and a new size still reaches it',
    async check(sandbox) {
      let shown = ''
      const stopped = Promise.withResolvers<void>()
      const released = Promise.withResolvers<void>()
      const process = await sandbox.spawn(
        ['/bin/sh', '-c', "trap 'stty size; exit 0' WINCH; while :; do echo more; done"],
        {
          terminal: screenSize,
          output(_, chunk) {
            shown = (shown + Buffer.from(chunk)).slice(-100)
            stopped.resolve()
            return released.promise
          },
        },
      )
      await stopped.promise
      await process.resize?.({ columns: 90, rows: 20 })
      released.resolve()
      assert.partialDeepStrictEqual(await process.ended, { kind: 'exited', exitCode: 0 })
      assert.match(shown, /20 90\r\n$/)
    },
  },
  {
    name: 'a character that is cut in two is one character, in both directions, and is erased as one',
    async check(sandbox) {
      const screen = await Screen.shell(
        sandbox,
        "read -r line; printf '<%s>' \"$line\"; printf '\\342\\202'; sleep 0.1; printf '\\254'",
      )
      const euro = Buffer.from('€')
      screen.type(euro.subarray(0, 1))
      await screen.process.resize?.({ columns: 80, rows: 25 })
      screen.type(euro.subarray(1))
      screen.type('ü\x7f\n')
      assert.equal(await screen.exitCode(), 0)
      assert.match(screen.text, /<€>€$/)
    },
  },
  {
    name: 'colors and the alternate screen come byte for byte',
    async check(sandbox) {
      const shown = '\x1b[?1049h\x1b[38;5;196mred\x1b[0m\x1b]0;title\x07\x1b[?1049l'
      const screen = await Screen.open(sandbox, ['/bin/sh', '-c', 'stty raw; printf %s "$1"', 'sh', shown])
      assert.equal(await screen.exitCode(), 0)
      assert.equal(screen.text, shown)
    },
  },
  {
    name: 'an interactive Python answers each line',
    needs: 'python3',
    async check(sandbox, _, python) {
      const screen = await Screen.open(sandbox, [python, '-i', '-q'])
      await screen.shows('>>> ')
      screen.type('6 * 7\n')
      await screen.shows('42')
      screen.type('exit(5)\n')
      assert.equal(await screen.exitCode(), 5)
    },
  },
  {
    name: '`less` shows a page, and ends with `q`',
    needs: 'less',
    async check(sandbox, _, less) {
      await sandbox.files.write(
        'pages.txt',
        Array.from({ length: 500 }, (_, line) => `line ${line}\n`).join(''),
      )
      const screen = await Screen.open(sandbox, [less, 'pages.txt'])
      await screen.shows('line 28')
      screen.type('G')
      await screen.shows('line 499')
      screen.type('q')
      assert.equal(await screen.exitCode(), 0)
      assert.doesNotMatch(screen.text, /line 200/)
    },
  },
  {
    name: '`vim` changes a file, without and with a screen',
    needs: 'vim',
    async check(sandbox, _, vim) {
      await sandbox.files.write('edited.txt', 'one\n')
      const silent = await Screen.open(sandbox, [vim, '-es', '-u', 'NONE', 'edited.txt'])
      silent.type(':s/one/two/\n:wq\n')
      assert.equal(await silent.exitCode(), 0)
      const screen = await Screen.open(sandbox, [vim, '-u', 'NONE', 'edited.txt'])
      await screen.shows('two')
      screen.type('othree\x1b:wq\r')
      assert.equal(await screen.exitCode(), 0)
      const content = await sandbox.files.read('edited.txt')
      assert.equal(content && (await text(content)), 'two\nthree\n')
    },
  },
]

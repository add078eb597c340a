// @module-tag all

import { describe, expect, it } from 'vitest'
import { LocalCommandLineCodeExecutor } from '../src/index.ts'
import { bubblewrap, python } from './requirements.ts'

const secret = 'hunter2-is-the-secret-of-this-test'

/** Cells that pass the secret to the host in each way there is, except through a file. */
const cells: readonly { readonly says: string; readonly code: string }[] = [
  { says: 'streams', code: 'import sys\nprint(secret)\nprint(secret, file=sys.stderr)' },
  { says: 'a value', code: '{secret: [secret]}' },
  {
    says: 'data of a display, and its update',
    code: `
from IPython.display import HTML, JSON
shown = display(JSON({secret: {"list": [secret]}}), display_id=secret)
shown.update(HTML(f"<b>{secret}</b>"), metadata={"note": secret})`,
  },
  { says: 'an error', code: `class Failure(Exception): pass\nraise Failure(secret, '${secret}')` },
  { says: 'a long error', code: 'raise Failure("x" * 8180 + secret)' },
  { says: 'a refused magic', code: `%timeit ${secret}` },
  {
    says: 'commands of processes',
    code: `
import subprocess, sys
wait = "import time; time.sleep(600)"
started = [subprocess.Popen([sys.executable, "-c", wait, "x" * length + secret]) for length in (0, 200 - len(sys.executable + wait) - 15)]`,
  },
  {
    says: 'late output',
    code: `
import os, threading
def write():
    while not os.path.exists("go"): pass
    sys.stdout.write("x" * (65536 - 10) + secret)
    sys.stdout.flush()
    open("done", "w").close()
threading.Thread(target=write).start()`,
  },
]

describe.skipIf(process.platform !== 'linux' || python.missing)('a session with a secret to redact', () => {
  it.each(bubblewrap.missing ? (['none'] as const) : (['none', 'bubblewrap'] as const))(
    'shows it nowhere: %s',
    async (isolation) => {
      await using executor = new LocalCommandLineCodeExecutor({
        ...{ isolation, stateful: true, redact: [secret] },
      })
      const seen: unknown[] = []
      const run = async (code: string, language = 'python') => {
        const execution = executor.execute([{ language, code }])
        for await (const event of execution) seen.push(event)
        seen.push(await execution)
      }
      await run(`secret = "${[...secret].reverse().join('')}"[::-1]`)
      for (const { code } of cells) await run(code)
      await run('touch go; while [ ! -e done ]; do :; done', 'sh')
      await run(`
globals()["v" + secret], lines = 1, ["x" * 100, secret]
long = "x" * 110 + secret
cut = type(secret, (), {})()`)
      seen.push(await executor.session?.variables(), await executor.session?.undo(3))
      const text = JSON.stringify(seen)
      expect(text.match(/hunter2.{0,30}/g)).toBeNull()
      expect(text.match(/\[redacted\]/g)?.length).toBeGreaterThan(30)
      for (const code of ['still-running', 'late-output']) expect(text).toContain(code)
    },
  )
})

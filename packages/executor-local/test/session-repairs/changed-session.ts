import { execFileSync } from 'node:child_process'
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A text in a session's sources, and its replacement, which switches a repair off. */
export type Change = readonly [text: string, other: string]

const sources = globSync(new URL('../../../sandbox/python/session/*.py', import.meta.url).pathname)
const source = sources.map((path) => readFileSync(path, 'utf8')).join('\n')

/** A Python that changes the sources of a session before it compiles them. */
export class ChangedPython {
  readonly #directory = mkdtempSync(join(tmpdir(), 'fenced-changed-'))
  readonly #changes = join(this.#directory, 'changes.json')
  /** Path of the interpreter: of a virtual environment, because that of a wrapper would be looked up. */
  readonly path = join(this.#directory, 'bin/python')

  /** @param python - has the packages that cells use. */
  constructor(python: string) {
    execFileSync(python, ['-m', 'venv', '--without-pip', this.#directory])
    const paths = 'import sysconfig; print(sysconfig.get_path("purelib"))'
    const [packages = '', own = ''] = [python, this.path].map((each) =>
      execFileSync(each, ['-c', paths], { encoding: 'utf8' }).trim(),
    )
    writeFileSync(join(own, 'packages.pth'), packages)
    writeFileSync(join(own, 'sitecustomize.py'), changing(this.#changes))
    this.change()
  }

  /** Changes the sources of sessions that start from now on. Without a change, they are as they are. */
  change(change?: Change): void {
    if (change !== undefined && source.split(change[0]).length !== 2)
      throw new Error(`The sources of sessions have this text not once: ${change[0]}`)
    writeFileSync(this.#changes, JSON.stringify(change === undefined ? [] : [change]))
  }

  [Symbol.dispose](): void {
    rmSync(this.#directory, { recursive: true })
  }
}

const changing = (path: string) => `
import builtins, json, marshal
plain_loads = marshal.loads
def loads(data):
    if b"fenced_session" in bytes(data):
        raise ValueError("this Python compiles the sources itself")
    return plain_loads(data)
marshal.loads = loads
plain = builtins.compile
def changed(source, filename, *rest, **named):
    if filename == "fenced_session":
        with open(${JSON.stringify(path)}) as file:
            for text, other in json.load(file):
                source = source.replace(text.encode(), other.encode())
    return plain(source, filename, *rest, **named)
builtins.compile = changed
`

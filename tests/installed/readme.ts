import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { extractCodeBlocks } from '@fenced/core'
import { directory } from './packages.ts'

export interface FirstExample {
  /** What the README's first `npm install` names. */
  readonly packages: readonly string[]
  readonly program: string
  /** What it prints. */
  readonly output: string
}

/** What a newcomer copies from the README of a package. */
export async function firstExample(name: string): Promise<FirstExample> {
  const readme = await readFile(join(directory, name, 'README.md'), 'utf8')
  const [, installed = ''] = /^npm install (?:--save-dev )?(@.+)$/m.exec(readme) ?? []
  const blocks = extractCodeBlocks(readme)
  const program = blocks.find(({ language }) => language === 'typescript')?.code
  const output = blocks.find(({ language }) => language === 'text')?.code
  if (installed === '' || program === undefined || output === undefined) {
    throw new Error(`The README of ${name} needs a line that installs it, an example and what that prints.`)
  }
  return { packages: installed.split(' '), program, output: `${output}\n` }
}

/** The JavaScript entry points of a package, such as `@fenced/core/driver`. */
export async function doorsOf(name: string): Promise<string[]> {
  const { exports } = JSON.parse(await readFile(join(directory, name, 'package.json'), 'utf8'))
  return Object.keys(exports)
    .filter((door) => !door.endsWith('.json'))
    .map((door) => `@fenced/${name}${door.slice(1)}`)
}

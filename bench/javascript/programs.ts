import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Language } from './language.ts'

/** The file of a block: hardly ever one that was run before, so that a cache does not know it. */
export class Programs {
  readonly #directory: string
  readonly #language: Language
  #count = 0

  constructor(directory: string, language: Language) {
    this.#directory = directory
    this.#language = language
  }

  new(): string {
    const { extension, code } = this.#language
    const file = join(this.#directory, `program-${this.#count}.${extension}`)
    writeFileSync(file, `${code}// ${this.#count}\n`)
    this.#count += 1
    return file
  }
}

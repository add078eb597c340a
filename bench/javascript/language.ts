export interface Language {
  readonly extension: string
  /** Node's, as for a block. */
  readonly options: readonly string[]
  /** Prints `1`. */
  readonly code: string
}

export const languages: readonly Language[] = [
  { extension: 'js', options: [], code: 'console.log(1)\n' },
  {
    extension: 'ts',
    options: ['--disable-warning=ExperimentalWarning'],
    code: 'const one: number = 1\nconsole.log(one)\n',
  },
]

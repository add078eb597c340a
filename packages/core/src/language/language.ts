/** How a one-line comment is written: what opens it and, where the language needs one, what closes it. */
export interface CommentSyntax {
  readonly open: string
  readonly close?: string
}

/**
 * What happens to a block of a language:
 * - `run`: it is a program;
 * - `save`: it is a document that is written into the working directory and not run (`html`, `css`);
 * - `data`: it is neither (`json`, `text`, `diff`): skipped, or saved where its first line names a file.
 */
export type LanguageKind = 'run' | 'save' | 'data'

/** One row of the table of languages. Plain data: a table can be extended by adding rows. */
export interface Language {
  /** The name that results and capabilities use. */
  readonly id: string
  /** Other names that a model writes behind its fence, in lower case. */
  readonly aliases: readonly string[]
  /** File extension without the dot. */
  readonly extension: string
  /** Comment forms in which a `filename:` directive is recognised. */
  readonly comments: readonly CommentSyntax[]
  readonly kind: LanguageKind
  /**
   * For `run`: the command lines that could run a file of this language, best first. The first whose program
   * exists in the place is used and the file's path is appended. A place may know better, as a local executor
   * does for Python.
   */
  readonly commands?: readonly (readonly string[])[]
  /** Whether a file of it begins with a byte order mark: Windows PowerShell 5 takes it for ANSI otherwise. */
  readonly byteOrderMark?: boolean
}

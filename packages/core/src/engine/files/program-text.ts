import type { Language } from '@fenced/markdown'

/**
 * Content of the file of a block: its text, with a byte order mark for a language that needs one, and with a final newline if the
 * text has none. Its lines end with `\n` already (`checkBlocks`). Nothing else of a program is changed before it runs, so this content
 * depends on nothing but the block.
 */
export function programText(code: string, { byteOrderMark }: Pick<Language, 'byteOrderMark'>): string {
  return `${byteOrderMark === true ? '\uFEFF' : ''}${code}${code.endsWith('\n') ? '' : '\n'}`
}

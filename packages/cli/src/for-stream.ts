import { visible } from '@fenced/core/text'

/** A text that goes to a stream: unchanged for a file or a program, with its hidden characters as escapes for a terminal. */
export function forStream({ isTTY }: Pick<NodeJS.WriteStream, 'isTTY'>, text: string): string {
  return isTTY ? visible(text) : text
}

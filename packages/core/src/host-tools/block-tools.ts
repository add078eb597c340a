/** The tools of a block's program. The driver transports the messages. */
export interface BlockTools {
  /** Size limit for a message, in bytes. */
  readonly maxMessageBytes: number
  /** Functions of Python for a module that has `_call(tool, arguments)`, which leaves out arguments that are `_unset`. */
  readonly pythonFunctions: string
  /**
   * Answers a message: JSON of `{ id, tool, input, line }`, where bytes are `{ "$bytes": base64 }`. It does not trust the message.
   *
   * @param message - `undefined` for a message that was too long.
   * @returns JSON of `{ id, output }` or `{ id, error: { kind, message } }` in one line. Never rejects.
   */
  answer(message: string | undefined): Promise<string>
}

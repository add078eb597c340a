/** Host tools for a block's program. The driver transports the messages. */
export interface BlockTools {
  /** Size limit for a message, in bytes. */
  readonly maxMessageBytes: number
  /** Python functions for a module that defines `_call(tool, arguments)`, which omits arguments that are `_unset`. */
  readonly pythonFunctions: string
  /**
   * Answers a message: JSON of the form `{ id, tool, input, line }`, with bytes as `{ "$bytes": base64 }`. The message is not
   * trusted.
   *
   * @param message - The message, or `undefined` if it was too long.
   * @returns JSON of the form `{ id, output }` or `{ id, error: { kind, message } }` on one line. Never rejects.
   */
  answer(message: string | undefined): Promise<string>
}

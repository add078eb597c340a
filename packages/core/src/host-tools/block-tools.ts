/** What a program calls tools of the host by. How a message gets here and back is the driver's. */
export interface BlockTools {
  /** How large a message can be, in bytes. */
  readonly maxMessageBytes: number
  /** Functions of Python for a module that has `_call(tool, arguments)`, which leaves out arguments that are `_unset`. */
  readonly pythonFunctions: string
  /**
   * Takes JSON of `{ id, tool, input, line }`, where bytes are `{ "$bytes": base64 }`; what comes from a program is not trusted.
   *
   * @param message - `undefined` for a message that was too long.
   * @returns JSON of `{ id, output }` or `{ id, error: { kind, message } }` in one line. Never rejects.
   */
  answer(message: string | undefined): Promise<string>
}

import { randomUUID } from 'node:crypto'

/** The parts of a request to run code, as every Jupyter client sends it. */
export function executeRequest(code: string) {
  const id = randomUUID()
  const header = {
    msg_id: id,
    msg_type: 'execute_request',
    session: id,
    username: 'bench',
    date: new Date().toISOString(),
    version: '5.3',
  }
  const content = { code, silent: false, store_history: true, user_expressions: {}, allow_stdin: false }
  return { id, header, content, parts: [header, {}, {}, content] }
}

export function headerOf(frame: Buffer | undefined): { msg_id?: string; msg_type?: string } {
  return JSON.parse(`${frame}`)
}

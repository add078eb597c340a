import type { KernelMessage, Request } from '../protocol/message.ts'

/** The reply of a kernel to `kernel_info_request`. */
export interface KernelInfo {
  /** Name of the kernel's language, as the kernel spells it. */
  readonly language: string
  /** Session of the kernel. A restarted kernel has a different one. */
  readonly session: string
}

export const infoRequest: Request = { channel: 'shell', type: 'kernel_info_request', content: {} }

export function kernelInfo({ header, content }: KernelMessage): KernelInfo {
  const { name } = Object(content.language_info)
  return { session: header.session, language: typeof name === 'string' ? name : '' }
}

/**
 * Whether a message shows that the kernel was replaced. A server restarts a dead kernel under the same id, and its variables are lost.
 * The server also publishes on `iopub`, in its own session.
 */
export function isOfNewKernel({ channel, header, content }: KernelMessage, session: string): boolean {
  const state = channel === 'iopub' && header.msg_type === 'status' ? content.execution_state : undefined
  if (state === 'restarting' || state === 'dead') return true
  const isReply = channel === 'shell' || channel === 'control'
  const isKernels = isReply || state === 'starting' || state === 'busy' || state === 'idle'
  return isKernels && header.session !== session
}

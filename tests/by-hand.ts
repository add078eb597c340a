/** Codes whose example in docs/messages.md was written by hand, and the reason why no test collects one. */
export const byHand: Readonly<Record<string, string>> = {
  NODE_TOO_OLD: 'An older Node prints it, before it loads a module that could collect it.',
  THREAD_UNSUPPORTED: 'A worker thread throws it, where nothing collects messages.',
}

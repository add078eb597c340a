import type { ForeignCode, NoticeCode } from './codes.ts'

/**
 * For each code, whether its notice says that something was lost, left out, substituted or is incomplete. A new code needs a row:
 * `true` puts its notices into the texts that models read.
 */
export const losses: Readonly<Record<NoticeCode, boolean>> = {
  // How a block ended
  cancelled: false,
  denied: false,
  'disk-limit': false,
  died: false,
  edited: true,
  'end-not-recorded': false,
  'ended-by-signal': false,
  'html-entities': false,
  'input-denied': true,
  invalid: false,
  'module-not-saved': false,
  'name-of-earlier-block': false,
  'notebook-command': false,
  'out-of-memory': false,
  'output-limit': false,
  'process-out-of-memory': true,
  'program-changed': true,
  timeout: false,
  'tools-unavailable': false,
  'typescript-syntax': false,
  // Why a block was not run
  data: true,
  'file-name': true,
  'no-interpreter': true,
  'no-language': true,
  'not-run': true,
  'not-started': true,
  unclosed: true,
  'unknown-language': true,
  'unsupported-language': true,
  // What a result lacks
  'connections-left-out': true,
  'figures-not-shown': true,
  'files-left-out': true,
  'files-not-copied': true,
  'files-not-listed': true,
  'left-behind': false,
  // The events lack something, and the result that a model reads is complete.
  'live-output-dropped': false,
  'notices-left-out': true,
  'output-dropped': true,
  'output-dropped-by-server': true,
  'result-not-saved': true,
  'results-left-out': true,
  // What happened to the sandbox or kernel
  'connection-restored': true,
  'container-replaced': true,
  'interpreter-substituted': true,
  'kernel-step-off': false,
  'late-output': true,
  'leftovers-remain': false,
  'leftovers-removed': false,
  'limits-unavailable': false,
  'network-lost': true,
  'network-refused': false,
  'no-network': false,
  'not-warm': false,
  'outside-work-dir': false,
  'preparation-not-kept': false,
  'restart-failed': true,
  'sandbox-replaced': true,
  'checkpoint-dropped': false,
  'state-kept': false,
  'state-reloaded': true,
  'state-restored': true,
  'state-lost': true,
  'still-running': true,
  'weaker-isolation': false,
  'work-dir-not-writable': false,
  'work-dir-recreated': true,
  // Images and packages
  build: false,
  credentials: false,
  install: false,
  'install-denied': false,
  'install-failed': false,
  'missing-package': false,
  'package-installed': false,
  pull: false,
  waiting: false,
  // Agents
  'answer-cut': false,
  'failure-repeated': false,
  'messages-left-out': false,
  'model-failed': false,
  'program-repeated': false,
  'retries-used-up': false,
  'retry-declined': false,
  'retry-time-over': false,
  'retry-tokens-used-up': false,
  'retry-undecided': false,
}

/**
 * Whether a notice with this code says that something was lost, left out, substituted or is incomplete. The texts that models
 * read include these notices even if the program succeeded.
 *
 * @param code - Code of a notice. An unknown code counts as a loss.
 */
export function saysLoss(code: NoticeCode | ForeignCode): boolean {
  return !Object.hasOwn(losses, code) || losses[code as NoticeCode]
}

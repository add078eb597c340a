import type { NetworkConnection } from '@fenced/core'
import { formatBytes, formatDuration, visible, visibleName } from '@fenced/errors/text'
import { Icon } from './icon.tsx'
import type { BlockView } from './run-view.ts'

/** Calls of tools of the host. */
export function Calls({ block: { calls } }: { readonly block: BlockView }) {
  if (calls.length === 0) return undefined
  return (
    <ul className="calls" aria-label="Calls of tools">
      {calls.map(({ id, tool, input, answer }) => (
        <li key={id}>
          <code>
            {visibleName(tool)}({visible(JSON.stringify(input))})
          </code>{' '}
          {answer === undefined
            ? 'waits'
            : answer.error === undefined
              ? `answered after ${formatDuration(answer.durationMs)}`
              : `${answer.error.kind}: ${visible(answer.error.message)}`}
        </li>
      ))}
    </ul>
  )
}

const verdicts: Readonly<Record<NetworkConnection['verdict'], string>> = {
  allowed: 'allowed',
  refused: 'refused: nothing went out',
  failed: 'allowed, and failed',
}

/** Connections out of a sandbox whose network is a list. */
export function Connections({ block: { connections } }: { readonly block: BlockView }) {
  if (connections.length === 0) return undefined
  return (
    <ul className="calls" aria-label="Connections">
      {connections.map(({ id, host, port, verdict, reason, bytesSent, bytesReceived }) => (
        <li key={id} data-verdict={verdict}>
          <Icon name="globe" />{' '}
          <code>
            {visibleName(host)}:{port}
          </code>{' '}
          {verdicts[verdict]}
          {reason !== undefined && ` (${visible(reason)})`}
          {verdict === 'allowed' &&
            `, ${formatBytes(bytesSent)} sent, ${formatBytes(bytesReceived)} received`}
        </li>
      ))}
    </ul>
  )
}

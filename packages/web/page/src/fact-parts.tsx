import type { ApprovalTarget } from '@fenced/core'
import { visibleCode } from '@fenced/errors/text'
import type { ReactNode } from 'react'
import { Icon } from './icon.tsx'

/** One fact of a question: a name with a picture, and what is true. */
export function Fact({
  icon,
  name,
  children,
}: {
  readonly icon: Parameters<typeof Icon>[0]['name']
  readonly name: string
  readonly children: ReactNode
}) {
  return (
    <div>
      <dt>
        <Icon name={icon} /> {name}
      </dt>
      <dd>{children}</dd>
    </div>
  )
}

/** Where something would happen, and what it could reach from there. */
export function PlaceFacts({ target }: { readonly target: ApprovalTarget }) {
  const { description, isolation, network, particulars } = target
  return (
    <>
      <Fact icon="box" name="Where">
        <strong data-isolation={isolation}>{description}</strong>
        {isolation === 'none' && ': it can do everything that you can do'}
      </Fact>
      <Fact icon="globe" name="Network">
        {networkText(network, particulars)}
      </Fact>
    </>
  )
}

/** Text of a model or a program, with its hidden characters named. */
export function Listing({ text }: { readonly text: string }) {
  return (
    <pre className="code">
      <code>{visibleCode(text)}</code>
    </pre>
  )
}

function networkText(network: ApprovalTarget['network'], list: ApprovalTarget['particulars']): string {
  if (network === 'none') return 'none'
  if (network === 'open') return 'open: the program can reach other hosts'
  const reached = [list.allowedHosts, list.allowedCIDRs].filter(Boolean).join(', ')
  if (reached === '') return 'none until you allow a host. You are asked about each.'
  const but = list.deniedCIDRs ? `, but not ${list.deniedCIDRs}` : ''
  return `only ${reached}${but} (port ${list.ports}). You are asked about other hosts.`
}

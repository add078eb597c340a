import type { ExecutorState, Place } from './api.ts'
import { Icon } from './icon.tsx'
import { limitTexts } from './limit-texts.ts'

/** Where code of an executor runs, in one line: its isolation, its network and its limits. */
export function PlaceLine({ executor }: { readonly executor: ExecutorState }) {
  const { place, description } = executor
  if (place === undefined)
    return (
      <p className="place">
        <Icon name="shield" /> {description ?? 'The first question shows the isolation and the limits.'}
      </p>
    )
  const isOpen = place.isolation === 'none'
  return (
    <p className="place" data-isolation={place.isolation}>
      <Icon name={isOpen ? 'warning' : 'shield'} />
      <span>
        <strong>Code runs {place.description}.</strong>
        {isOpen && ' It can do everything that you can do.'} {limitsText(place)}
        {description !== undefined && <span className="why"> {description}</span>}
      </span>
    </p>
  )
}

function limitsText({ particulars, limits }: Place): string {
  const words = limitTexts(particulars, limits)
  return words.length === 0 ? '' : `Limits: ${words.join(', ')}.`
}

import type { ComponentProps } from 'react'
import { Icon } from './icon.tsx'

interface ButtonProps extends Omit<ComponentProps<'button'>, 'children'> {
  readonly label: string
  readonly icon?: ComponentProps<typeof Icon>['name']
  /** The key that does the same. */
  readonly shortcut?: string
}

/** A button with a text. It sends a form only if its type says so. */
export function Button({ label, icon, shortcut, ...props }: ButtonProps) {
  return (
    <button type="button" {...props}>
      {icon !== undefined && <Icon name={icon} />} {label} {shortcut !== undefined && <kbd>{shortcut}</kbd>}
    </button>
  )
}

/** A button that is only a picture. Its label is for screen readers. */
export function IconButton({
  label,
  icon,
  className = '',
  ...props
}: ButtonProps & Required<Pick<ButtonProps, 'icon'>>) {
  return (
    <button type="button" className={`icon ${className}`} aria-label={label} {...props}>
      <Icon name={icon} />
    </button>
  )
}

import type { ComponentProps } from 'react'

interface FormProps extends Omit<ComponentProps<'form'>, 'onSubmit' | 'onKeyDown'> {
  readonly send: () => unknown
}

/** A form that Enter sends. Shift+Enter begins a line, and an input method keeps the Enter that ends its composition. */
export function Form({ send, ...props }: FormProps) {
  return (
    <form
      {...props}
      onSubmit={(event) => {
        event.preventDefault()
        send()
      }}
      onKeyDown={(event) => {
        const { key, shiftKey, target, currentTarget, nativeEvent } = event
        if (key !== 'Enter' || shiftKey || nativeEvent.isComposing) return
        if (!(target instanceof HTMLTextAreaElement)) return
        event.preventDefault()
        currentTarget.requestSubmit()
      }}
    />
  )
}

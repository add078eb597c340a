/** A notice with a percentage is a bar, too. */
export function Progress({ message }: { readonly message: string }) {
  const [, percent] = /\b(\d{1,3})%/.exec(message) ?? []
  return (
    <div className="progress">
      <span>{message}</span>
      {percent !== undefined && <progress aria-label={message} max={100} value={Number(percent)} />}
    </div>
  )
}

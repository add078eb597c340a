/** `0.4 s`, `12 s`, `3 min 5 s`. */
export function formatDuration(ms: number): string {
  const seconds = ms / 1_000
  if (seconds < 10) return `${seconds.toFixed(1)} s`
  if (seconds < 60) return `${Math.round(seconds)} s`
  return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`
}

export function formatBytes(bytes: number): string {
  if (bytes < 1_000) return `${bytes} bytes`
  const kilobytes = bytes / 1_000
  return kilobytes < 1_000 ? `${kilobytes.toFixed(1)} kB` : `${(kilobytes / 1_000).toFixed(1)} MB`
}

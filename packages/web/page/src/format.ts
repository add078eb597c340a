/** `0.4 s`, `12 s`, `3 min 5 s`. */
export function formatDuration(ms: number): string {
  if (ms < 9_950) return `${(ms / 1_000).toFixed(1)} s`
  const seconds = Math.round(ms / 1_000)
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`
}

export function formatBytes(bytes: number): string {
  if (bytes < 1_000) return `${bytes} bytes`
  const kilobytes = bytes / 1_000
  return kilobytes < 1_000 ? `${kilobytes.toFixed(1)} kB` : `${(kilobytes / 1_000).toFixed(1)} MB`
}

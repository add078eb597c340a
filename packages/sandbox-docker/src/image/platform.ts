/** What else the parts of a platform are called (containerd's `platforms` package). */
const otherNames: Readonly<Record<string, string>> = { x86_64: 'amd64', 'x86-64': 'amd64', aarch64: 'arm64' }

/** Whether an image for a system and processor is one for the platform that was asked for. */
export function isForPlatform(
  image: { readonly Os: string; readonly Architecture: string; readonly Variant?: string | undefined },
  platform: string,
): boolean {
  const [system = '', processor = '', variant] = platform.split('/')
  return (
    image.Os === system &&
    image.Architecture === (otherNames[processor] ?? processor) &&
    // Many images do not say which variant they are.
    (variant === undefined || !image.Variant || image.Variant === variant)
  )
}

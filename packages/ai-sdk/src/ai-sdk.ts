// What is experimental in the AI SDK may have another name in any release of it: these names are in this file only.

import type { Experimental_SandboxProcess, Experimental_SandboxSession } from 'ai'

/** Files and processes, as tools and agents of the AI SDK take them: `experimental_sandbox`. */
export type SandboxSession = Experimental_SandboxSession

export type SandboxProcess = Experimental_SandboxProcess

export type ProcessWithStdin = SandboxProcess & { readonly stdin: WritableStream<Uint8Array> }

import type { Clock, Log, Random } from '../core/ports.ts'

/** What this process gets from the world; tests bring their own. */
export type World = { readonly clock: Clock; readonly random: Random; readonly log: Log }

/** What a look at an engine saw, and what to do about it where something is to be done. */
export type EngineFinding = {
  readonly state: 'ok' | 'warn' | 'fail'
  readonly seen: string
  readonly remedy?: string
}

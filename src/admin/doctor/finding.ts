import type { CommandDeps } from '../command/command.ts'

/** What one check saw. */
export type Finding = {
  readonly state: 'ok' | 'warn' | 'fail'
  readonly seen: string
  /** What to do about it; of a finding that is not ok. */
  readonly remedy?: string
}

/** One thing that can be wrong with a deployment. */
export type Check = {
  readonly id: string
  /** Only `doctor` asks others; `config check` does what needs nobody. */
  readonly network?: true
  /** Answers a finding for each thing looked at; none where there is nothing to look at. */
  readonly look: (deps: CheckDeps) => Promise<readonly Finding[]> | readonly Finding[]
}

export type CheckDeps = Pick<CommandDeps, 'settings' | 'entries' | 'files' | 'world'>

export function ok(seen: string): Finding {
  return { state: 'ok', seen }
}

export function warn(seen: string, remedy: string): Finding {
  return { state: 'warn', seen, remedy }
}

export function fail(seen: string, remedy: string): Finding {
  return { state: 'fail', seen, remedy }
}

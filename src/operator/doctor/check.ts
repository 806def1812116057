import type { Finding } from '../../core/finding.ts'
import type { CommandDeps } from '../command/command.ts'

/** One thing that can be wrong with a deployment. */
export type Check = {
  readonly id: string
  /** Only `doctor` asks others; `config check` does what needs nobody. */
  readonly network?: true
  /** A finding for each thing that was checked; none where there is nothing to check. */
  readonly run: (deps: CheckDeps) => Promise<Findings> | Findings
}

/** One finding, or several. */
export type Findings = Finding | readonly Finding[]

export type CheckDeps = Pick<CommandDeps, 'settings' | 'entries' | 'unit' | 'files' | 'world'>

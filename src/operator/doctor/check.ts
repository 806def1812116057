import type { Finding } from '../../core/finding.ts'
import type { CommandEnvironment } from '../command/command.ts'

/** One check of a deployment. */
export type Check = {
  readonly id: string
  /** Whether the check needs the network. If so, only `doctor` runs it, not `config check`. */
  readonly network?: true
  /** One finding per checked item; empty if there is nothing to check. */
  readonly run: (deps: CheckEnvironment) => Promise<Findings> | Findings
}

export type Findings = Finding | readonly Finding[]

export type CheckEnvironment = Pick<
  CommandEnvironment,
  'settings' | 'entries' | 'unit' | 'files' | 'world'
>

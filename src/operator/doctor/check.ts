import type { Finding } from '../../core/finding.ts'
import type { CommandEnvironment } from '../command/command.ts'

/** One check of a deployment. */
export type Check = {
  readonly id: string
  /** The check needs the network: only `doctor` runs it, not `config check`. */
  readonly network?: true
  /** The findings, one per checked item; empty without such an item. */
  readonly run: (deps: CheckEnvironment) => Promise<Findings> | Findings
}

/** One finding, or several. */
export type Findings = Finding | readonly Finding[]

export type CheckEnvironment = Pick<
  CommandEnvironment,
  'settings' | 'entries' | 'unit' | 'files' | 'world'
>

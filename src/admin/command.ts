import type { Transport } from '../client/client.ts'
import type { Clock, Random } from '../core/ports.ts'
import type { Files } from '../settings/files.ts'
import type { Settings } from '../settings/settings.ts'
import type { Entry } from '../settings/sources.ts'
import type { SettingKind } from '../spec/settings.ts'
import type { VoucherStore } from '../store/voucher/port.ts'

/** What lies outside the process, for the commands that go there. */
export type CommandWorld = {
  readonly clock: Clock
  readonly random: Random
  readonly transport: Transport
  readonly sleep: (ms: number) => Promise<void>
  /** Opens the vouchers of a data directory; a server may have it open too. Throws when there is no store. */
  readonly openVoucherStore: (dataDir: string) => Promise<VoucherStore>
}

/** What a command gets to work with. It writes lines and opens what it needs itself. */
export type CommandDeps = {
  readonly print: (line: string) => void
  readonly settings: Settings
  readonly entries: readonly Entry[]
  readonly files: Files
  readonly world: CommandWorld
}

/** A flag of one command. Without `value`, which stands for it in the help, it is a switch. */
export type CommandFlag = {
  readonly flag: string
  readonly value?: { readonly shown: string; readonly kind: SettingKind }
  readonly meaning: string
}

/** The flags that were given, by name with the dashes; a switch has the value ''. */
export type CommandArguments = ReadonlyMap<string, string>

export type Command = {
  /** The words that name it, separated by a space. */
  readonly path: string
  readonly summary: string
  readonly arguments: readonly CommandFlag[]
  /** Runs on the defaults, whatever the settings say: a broken configuration does not stop it. */
  readonly onDefaults?: true
  /** Answers the exit code. */
  readonly run: (deps: CommandDeps, args: CommandArguments) => Promise<number>
}

/** Says what is wrong with a command line or its settings. Answers the exit code of a misused command (EX_USAGE). */
export function printMisuse(print: CommandDeps['print'], ...lines: readonly string[]): 64 {
  for (const line of lines) print(line)
  return 64
}

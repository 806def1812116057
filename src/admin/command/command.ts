import type { Transport } from '../../client/client.ts'
import type { EngineFinding } from '../../core/engines/health.ts'
import type { Clock, Random } from '../../core/ports.ts'
import type { Files } from '../../settings/files.ts'
import type { ListenAddress } from '../../settings/listen-address.ts'
import type { Settings } from '../../settings/settings.ts'
import type { Entry } from '../../settings/sources.ts'
import type { SettingKind } from '../../spec/settings.ts'
import type { StoreFile } from '../../store/file.ts'
import type { restoreStore } from '../../store/restore.ts'
import type { VoucherStore } from '../../store/voucher/port.ts'

/** What lies outside the process, for the commands that go there. */
export type CommandWorld = {
  readonly clock: Clock
  readonly random: Random
  readonly transport: Transport
  readonly sleep: (ms: number) => Promise<void>
  /** Opens the vouchers of a data directory, or of instances; servers may have them open too. Throws when there are none. */
  readonly openVoucherStore: (settings: Settings) => Promise<VoucherStore>
  /** Looks at the engines that instances share, and changes nothing. */
  readonly lookAtEngines: (
    engines: NonNullable<Settings['engines']>,
  ) => Promise<readonly EngineFinding[]>
  /** Opens the whole service in process, on its data directory. Throws when another process has it. */
  readonly openInside: (settings: Settings) => Promise<InsideService>
  readonly disk: CommandDisk
  readonly machine: CommandMachine
  /** A store's file; a server may have it open too. Throws when there is none. */
  readonly openStoreFile: (path: string) => StoreFile
  /** Puts a backup into a data directory that has no store. Throws when it cannot. */
  readonly restoreStore: typeof restoreStore
  /** The executable, as a shell finds it. */
  readonly executable: string
}

/** The service in this process: its public surface, and its operator's listener. */
export type InsideService = {
  readonly front: Transport
  readonly ops: Transport
  readonly close: () => Promise<void>
}

/** What commands ask of the machine. */
export type CommandMachine = {
  readonly isWritable: (path: string) => boolean
  /** What a user without privileges may still write to the disk of a path; null where the system does not say. */
  readonly freeBytes: (path: string) => number | null
  /** How many files this process may have open; null where the system does not say. */
  readonly openFilesMax: () => number | null
  /** Null when a listener could be opened there, else the system's code. */
  readonly listenTrouble: (at: ListenAddress) => Promise<string | null>
  /** Whether what listens there answers as a prepd does. */
  readonly isPrepd: (at: ListenAddress) => Promise<boolean>
  /** Reads the certificate and key of the settings. Throws an Error that names what is wrong with which. */
  readonly certificateEndMs: (settings: Settings) => Promise<number>
}

/** What commands write. */
export type CommandDisk = {
  readonly absolute: (path: string) => string
  /** Writes a file of mode 0600. Throws when it is there already, unless it may be replaced. */
  readonly writeSecret: (path: string, text: string, way: 'new' | 'replace') => void
  readonly remove: (path: string) => void
  /** All that is piped in, for an operand of `-`. */
  readonly readInput: () => Promise<string>
  /** The lines of a file, or of what is piped in for `-`; of a line that is too long nothing. Throws when it cannot be read. */
  readonly readLines: (path: string) => AsyncIterable<string>
}

/** What a command gets to work with. It writes lines and opens what it needs itself. */
export type CommandDeps = {
  readonly print: (line: string) => void
  /** Writes lines for people; with `--json`, the value in their place. */
  readonly report: (value: object, lines: readonly string[]) => void
  readonly settings: Settings
  readonly entries: readonly Entry[]
  readonly files: Files
  readonly world: CommandWorld
}

/** A flag of one command. Without `value`, which stands for it in the help, it is a switch. */
export type CommandFlag = {
  readonly flag: string
  /** Without a kind the command itself says what is off. */
  readonly value?: { readonly shown: string; readonly kind?: SettingKind }
  readonly meaning: string
}

/** The flags that were given, by name with the dashes; a switch has the value ''. */
export type CommandArguments = ReadonlyMap<string, string>

/** The word behind a command's own: what it is about. */
export type Operand = { readonly shown: string; readonly meaning: string }

export type Command = {
  /** The words that name it, separated by a space. */
  readonly path: string
  readonly summary: string
  /** Its text is in the arguments under what is shown of it. */
  readonly operand?: Operand
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

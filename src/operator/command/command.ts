import type { Credentials, ServiceTransport } from '../../agents/client/client.ts'
import type { SettingKind } from '../../contract/settings.ts'
import type { Finding } from '../../core/finding.ts'
import type { Limits } from '../../core/mandate.ts'
import type { Clock, Random, RunCommand } from '../../core/ports.ts'
import type { Files } from '../../core/settings/files.ts'
import type { ListenAddress } from '../../core/settings/listen-address.ts'
import type { Settings } from '../../core/settings/settings.ts'
import type { Entry } from '../../core/settings/sources.ts'
import type { Unit } from '../../core/settings/unit.ts'
import type { AccountKey } from '../../core/standby.ts'
import type { StoreFile } from '../../store/file.ts'
import type { restoreStore } from '../../store/restore.ts'
import type { VoucherStore } from '../../store/voucher/port.ts'

/** Everything outside this process that operator commands use: stores, engines, network, disk. */
export type CommandWorld = {
  readonly clock: Clock
  readonly random: Random
  readonly transport: ServiceTransport
  readonly sleep: (ms: number) => Promise<void>
  /** Resolves when a signal asks this process to stop. The command must then end. */
  readonly interrupted: () => Promise<void>
  /**
   * Opens the voucher store of a data directory or of shared engines, also while servers run. Throws if the store does
   * not exist.
   */
  readonly openVoucherStore: (settings: Settings) => Promise<VoucherStore>
  /** Checks the engines that instances share, without changing them. */
  readonly lookAtEngines: (engines: NonNullable<Settings['engines']>) => Promise<readonly Finding[]>
  /** Opens the service in this process on its data directory. Throws if another process uses the directory. */
  readonly openInside: (settings: Settings) => Promise<InsideService>
  /** Opens a practice service in memory, with the given clock and random numbers. */
  readonly openPractice: (
    settings: Settings,
    outside: { readonly clock: Clock; readonly random: Random },
  ) => Promise<PracticeService>
  /** Runs a command of this program in a new process with the same settings; absent if that is impossible. */
  readonly runCommand?: RunCommand | undefined
  /** Asks the agent at an address to begin, without a timeout. Returns the HTTP status. Throws fetch's errors. */
  readonly beginAgent: (address: string, terms: object, signal: AbortSignal) => Promise<number>
  /** Starts an agent's program with piped streams. Throws if the program does not exist. */
  readonly startProgram: StartProgram
  readonly disk: CommandDisk
  readonly machine: CommandMachine
  /** Opens the file of a store, also while a server runs. Throws if it does not exist. */
  readonly openStoreFile: (path: string) => StoreFile
  /** Restores a backup into a data directory that has no store. Throws if that fails. */
  readonly restoreStore: typeof restoreStore
  /** The path or name of the executable, as typed in a shell. */
  readonly executable: string
  readonly user: UserSystem
  readonly keychain: Keychain
}

/** The keychain of the user's system. Each function throws UsageError if the keychain does not work. */
export type Keychain = {
  /** The entry with a name; null if it does not exist. */
  readonly find: (name: string) => Promise<string | null>
  readonly put: (name: string, value: string) => Promise<void>
  readonly remove: (name: string) => Promise<void>
}

/** The operating system, home folder and environment of the user who runs the command. */
export type UserSystem = {
  readonly platform: string
  readonly home: string
  readonly variables: Readonly<Record<string, string | undefined>>
}

/** A service in this process: the transports of its public API and of its operator API. */
export type InsideService = {
  readonly front: ServiceTransport
  readonly ops: ServiceTransport
  readonly close: () => Promise<void>
}

/** A service in this process that also serves MCP to an agent. */
export type PracticeService = InsideService & {
  readonly venueClock: Clock
  /** Scheduled cancels of accounts whose owner goes silent. They are sent by `send` only, never by a timer. */
  readonly standbys: {
    /** The time at which the scheduled cancel of an account and key is due; null if no cancel is armed. */
    readonly dueMs: (pair: AccountKey) => Promise<number | null>
    /** Relays the cancels that are due; settles when all are answered. */
    readonly send: () => Promise<void>
  }
  /** Serves MCP, one message per line, until the input ends. */
  readonly serveAgent: (
    agent: WorldAgent & {
      readonly input: AsyncIterable<Uint8Array>
      readonly write: (line: string) => Promise<void>
      /** Receives the answer of a call that the agent cancelled; the answer is not written. */
      readonly unsent: (answer: string) => void
    },
  ) => Promise<void>
  /** Serves MCP over HTTP on a local port. Throws the system's error if the port is in use. */
  readonly listenAgent: (agent: WorldAgent, terms: AgentListenerTerms) => AgentListener
}

/** An agent with its account's credentials. */
export type WorldAgent = {
  readonly credentials: Credentials
  readonly limits: Limits
  /** The transport that the agent's tools use. */
  readonly transport: ServiceTransport
}

export type AgentListenerTerms = {
  /** The port; 0 chooses a free port. */
  readonly port: number
  /** The bearer token that each request must carry. */
  readonly token: string
  /**
   * Receives the text of each message. Returns a function that receives the answer's text, which is empty if there is
   * no answer. Returns null to refuse a message beyond a limit; the caller closes the listener before the function
   * returns null.
   */
  readonly asked: (text: string) => ((answer: string) => void) | null
  readonly ended: () => void
}

export type AgentListener = {
  readonly url: string
  /** Refuses further messages with this sentence; settles when the pending messages are answered. */
  readonly close: (refusal: string) => Promise<void>
  readonly stop: () => Promise<void>
}

/** A running program with its output streams, its input and its end. */
export type RunningProgram = {
  readonly output: AsyncIterable<Uint8Array>
  readonly errors: AsyncIterable<Uint8Array>
  /** Settles when the input accepts more. Rejects if the input is closed. */
  readonly write: (text: string) => Promise<void>
  readonly closeInput: () => void
  /** Settles with the exit code after the program and its children have ended. */
  readonly exited: Promise<number>
  /** Ends the program and its children. */
  readonly kill: () => void
}

export type StartProgram = (
  command: readonly string[],
  /** The program's complete environment. */
  variables: Readonly<Record<string, string>>,
) => RunningProgram

/** Facts about this machine that commands check. */
export type CommandMachine = {
  /** Number of processors. */
  readonly processors: () => number
  readonly isWritable: (path: string) => boolean
  /** Bytes that unprivileged users can still write on the disk of a path; null if unknown. */
  readonly freeBytes: (path: string) => number | null
  /** The maximum number of open files of this process; null if unknown. */
  readonly openFilesMax: () => number | null
  /** The system's error code when a listener cannot be opened at an address; null if it can. */
  readonly listenTrouble: (at: ListenAddress) => Promise<string | null>
  /** Whether the server that listens at an address is a prepd. */
  readonly isPrepd: (at: ListenAddress) => Promise<boolean>
  /**
   * The time at which the certificate of these settings expires; also reads its key. Throws an Error for an unusable
   * file.
   */
  readonly pairEndMs: (settings: Settings) => Promise<number>
  /** The time at which a PEM certificate expires. Throws UsageError for any other text. */
  readonly certificateEndMs: (text: string) => number
}

type FileWriter = {
  /** Appends text. Never throws: a write error is thrown when the file is closed. */
  readonly write: (text: string) => void
  readonly end: () => void
}

/** The disk and standard input for commands. */
export type CommandDisk = {
  readonly absolute: (path: string) => string
  /** Writes a file with mode 0600. Throws if the file exists, unless `way` is `replace`. */
  readonly writeSecret: (path: string, text: string, way: 'new' | 'replace') => void
  /** Creates a folder and its parents. */
  readonly makeFolder: (path: string) => void
  /** Writes a file atomically, and creates its parent folders. A reader sees the old or the new text. */
  readonly write: (path: string, text: string) => void
  /** Creates a file and returns a writer that appends text. */
  readonly writer: (path: string) => FileWriter
  /** The path with symbolic links resolved; the given path if it does not exist. */
  readonly resolved: (path: string) => string
  /** Replaces a file atomically, with mode 0600. */
  readonly replaceSecret: (path: string, text: string) => void
  readonly remove: (path: string) => void
  /** Whether a file is empty or missing. */
  readonly isEmpty: (path: string) => boolean
  /** Reads all of standard input, for the operand `-`. */
  readonly readInput: () => Promise<string>
  /** The lines of a file, or of standard input for `-`. Overlong lines are left out. Throws if it is unreadable. */
  readonly readLines: (path: string) => AsyncIterable<string>
}

/** Everything that a command receives. */
export type CommandEnvironment = {
  readonly print: (line: string) => void
  /** Prints a failure on standard error; with `--json`, adds it to the JSON value's `lines`. */
  readonly complain: (line: string) => void
  /** Prints the lines; with `--json`, the value. */
  readonly report: (value: object, lines: readonly string[]) => void
  readonly settings: Settings
  readonly entries: readonly Entry[]
  /** The systemd unit that holds the settings; null if this process's own settings are used. */
  readonly unit: Pick<Unit, 'read' | 'unread' | 'isEncrypted'> | null
  /** Every command, in display order. */
  readonly commands: readonly Command[]
  readonly files: Files
  readonly world: CommandWorld
}

/** A flag of a command. `value` describes its argument in the help; a flag without `value` is a switch. */
export type CommandFlag = {
  readonly flag: string
  /** If `kind` is absent, the command validates the value itself. */
  readonly value?: { readonly shown: string; readonly kind?: SettingKind }
  readonly meaning: string
  /** The possible values with their meanings, for the command's help. */
  readonly values?: Readonly<Record<string, string>>
}

/** The given flags by name, dashes included; a switch has the value ''. */
export type CommandArguments = ReadonlyMap<string, string>

/** The required argument after a command's name. */
export type Operand = { readonly shown: string; readonly meaning: string }

export type Command = {
  /** The words of the command's name, separated by spaces. */
  readonly path: string
  readonly summary: string
  /** The operand. Its text is in the arguments under the key `shown`. */
  readonly operand?: Operand
  readonly arguments: readonly CommandFlag[]
  /** Flags that must be given. */
  readonly required?: readonly string[]
  /** The operand and flags in the help's example. Required for a command with an operand or required flags. */
  readonly example?: string
  /** Whether the command ignores the settings, so that it also runs with an invalid configuration. */
  readonly onDefaults?: true
  /** Runs the command and returns its exit code. `runCommand` handles the errors that it throws. */
  readonly run: (deps: CommandEnvironment, args: CommandArguments) => Promise<number>
}

/** Thrown when a command lacks a target to work on, or a location for its output. */
export class NoPlaceError extends Error {
  override readonly name = 'NoPlaceError'
}

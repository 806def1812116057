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
import type { KeyPair } from '../../core/standby.ts'
import type { StoreFile } from '../../store/file.ts'
import type { restoreStore } from '../../store/restore.ts'
import type { VoucherStore } from '../../store/voucher/port.ts'

/** The outside world for operator commands: stores, engines, network, disk. */
export type CommandWorld = {
  readonly clock: Clock
  readonly random: Random
  readonly transport: ServiceTransport
  readonly sleep: (ms: number) => Promise<void>
  /** Settles when a signal asks this process to end. The process then does not end by itself. */
  readonly interrupted: () => Promise<void>
  /** Opens the voucher store of a data directory or of instances, also while servers run. Throws without one. */
  readonly openVoucherStore: (settings: Settings) => Promise<VoucherStore>
  /** Checks the engines that instances share, without changes. */
  readonly lookAtEngines: (engines: NonNullable<Settings['engines']>) => Promise<readonly Finding[]>
  /** Opens the service in this process on its data directory. Throws when another process uses it. */
  readonly openInside: (settings: Settings) => Promise<InsideService>
  /** Opens a practice service in memory, with a clock and random numbers of its own. */
  readonly openPractice: (
    settings: Settings,
    outside: { readonly clock: Clock; readonly random: Random },
  ) => Promise<PracticeService>
  /** Runs a command of this program in its own process with this one's settings; absent if that is impossible. */
  readonly runCommand?: RunCommand | undefined
  /** Asks an agent at its address to begin, without a timeout. Returns the status. Throws fetch's errors. */
  readonly beginAgent: (address: string, terms: object, signal: AbortSignal) => Promise<number>
  /** Starts an agent's program with piped streams. Throws if the program does not exist. */
  readonly startProgram: StartProgram
  readonly disk: CommandDisk
  readonly machine: CommandMachine
  /** Opens a store's file, also while a server runs. Throws without one. */
  readonly openStoreFile: (path: string) => StoreFile
  /** Restores a backup into a data directory without a store. Throws when that fails. */
  readonly restoreStore: typeof restoreStore
  /** The path or name of the executable in a shell. */
  readonly executable: string
  readonly user: UserSystem
  readonly keychain: Keychain
}

/** The user's system keychain. Each function throws UsageError without a working keychain. */
export type Keychain = {
  /** The entry of a name; null without one. */
  readonly find: (name: string) => Promise<string | null>
  readonly put: (name: string, value: string) => Promise<void>
  readonly remove: (name: string) => Promise<void>
}

/** The system of the person who runs the command. */
export type UserSystem = {
  readonly platform: string
  readonly home: string
  readonly variables: Readonly<Record<string, string | undefined>>
}

/** The service in this process: its public API and its operator API. */
export type InsideService = {
  readonly front: ServiceTransport
  readonly ops: ServiceTransport
  readonly close: () => Promise<void>
}

/** A service in this process, and MCP for an agent of it. */
export type PracticeService = InsideService & {
  readonly venueClock: Clock
  /** Standby cancels. Here only `send` sends them, not a timer. */
  readonly standbys: {
    /** When the standby of an account and key is due; null if not armed. */
    readonly dueMs: (pair: KeyPair) => Promise<number | null>
    /** Relays the due ones; settles when they are answered. */
    readonly send: () => Promise<void>
  }
  /** Serves MCP, one message per line, until the input ends. */
  readonly serveAgent: (
    agent: AgentOfWorld & {
      readonly input: AsyncIterable<Uint8Array>
      readonly write: (line: string) => Promise<void>
      /** Receives the unwritten answer of a call that the agent has cancelled. */
      readonly unsent: (answer: string) => void
    },
  ) => Promise<void>
  /** Serves MCP over HTTP on a local port. Throws the system's error for a port in use. */
  readonly listenAgent: (agent: AgentOfWorld, terms: AgentListenerTerms) => AgentListener
}

/** An agent with its account. */
export type AgentOfWorld = {
  readonly credentials: Credentials
  readonly limits: Limits
  /** The transport of the tools' requests. */
  readonly transport: ServiceTransport
}

export type AgentListenerTerms = {
  /** The port; zero picks a free one. */
  readonly port: number
  /** The bearer token of each request. */
  readonly token: string
  /**
   * Receives the text of each message, and returns a function that receives the answer's text (empty without an
   * answer). Null refuses a message beyond a limit; the listener must be closed first.
   */
  readonly asked: (text: string) => ((answer: string) => void) | null
  /** Called when the agent ends its session. */
  readonly ended: () => void
}

export type AgentListener = {
  readonly url: string
  /** Refuses further messages with this sentence; settles when pending ones are answered. */
  readonly close: (refusal: string) => Promise<void>
  readonly stop: () => Promise<void>
}

/** A running program with its output, input and exit. */
export type RunningProgram = {
  readonly output: AsyncIterable<Uint8Array>
  readonly errors: AsyncIterable<Uint8Array>
  /** Settles when the input accepts more. Rejects after it is closed. */
  readonly write: (text: string) => Promise<void>
  readonly closeInput: () => void
  /** Settles with the exit code after the program and its children have ended. */
  readonly exited: Promise<number>
  /** Ends the program and its children. */
  readonly kill: () => void
}

export type StartProgram = (
  command: readonly string[],
  /** Its complete environment. */
  variables: Readonly<Record<string, string>>,
) => RunningProgram

/** The machine's facts for commands. */
export type CommandMachine = {
  /** Number of processors. */
  readonly processors: () => number
  readonly isWritable: (path: string) => boolean
  /** The free bytes for unprivileged users on the disk of a path; null when unknown. */
  readonly freeBytes: (path: string) => number | null
  /** The limit of open files of this process; null when unknown. */
  readonly openFilesMax: () => number | null
  /** The system's error code for opening a listener at an address; null when it can be opened. */
  readonly listenTrouble: (at: ListenAddress) => Promise<string | null>
  /** Whether the listener at an address is a prepd. */
  readonly isPrepd: (at: ListenAddress) => Promise<boolean>
  /** The expiry of the settings' certificate, whose key is read too. Throws an Error that names the unusable file. */
  readonly pairEndMs: (settings: Settings) => Promise<number>
  /** The expiry of a certificate in PEM. Throws UsageError for any other text. */
  readonly certificateEndMs: (text: string) => number
}

type FileWriter = {
  /** Writes text. Never throws; a write error is thrown at the end. */
  readonly write: (text: string) => void
  readonly end: () => void
}

/** The disk and standard input for commands. */
export type CommandDisk = {
  readonly absolute: (path: string) => string
  /** Writes a file with mode 0600. Throws for an existing file, unless it may be replaced. */
  readonly writeSecret: (path: string, text: string, way: 'new' | 'replace') => void
  /** Creates a folder and its parents. */
  readonly makeFolder: (path: string) => void
  /** Writes a file atomically, and creates its parent folders. A reader sees the old or the new text. */
  readonly write: (path: string, text: string) => void
  /** Creates a file and appends texts. */
  readonly writer: (path: string) => FileWriter
  /** The path with symbolic links resolved; the path itself if it does not exist. */
  readonly resolved: (path: string) => string
  /** Replaces a file atomically, with mode 0600. */
  readonly replaceSecret: (path: string, text: string) => void
  readonly remove: (path: string) => void
  /** Whether a file is empty or missing. */
  readonly isEmpty: (path: string) => boolean
  /** All of standard input, for the operand `-`. */
  readonly readInput: () => Promise<string>
  /** The lines of a file, or of standard input for `-`, without overlong lines. Throws if unreadable. */
  readonly readLines: (path: string) => AsyncIterable<string>
}

/** The dependencies of a command. */
export type CommandEnvironment = {
  readonly print: (line: string) => void
  /** Prints a failure on standard error, or adds it to the lines of the value with `--json`. */
  readonly complain: (line: string) => void
  /** Prints lines, or with `--json` the value. */
  readonly report: (value: object, lines: readonly string[]) => void
  readonly settings: Settings
  readonly entries: readonly Entry[]
  /** The systemd unit with the settings; null for this process's own. */
  readonly unit: Pick<Unit, 'read' | 'unread' | 'isEncrypted'> | null
  /** Every command, in the order in which they are shown. */
  readonly commands: readonly Command[]
  readonly files: Files
  readonly world: CommandWorld
}

/** A flag of one command. `value` is the placeholder in the help; a flag without one is a switch. */
export type CommandFlag = {
  readonly flag: string
  /** Without a kind the command validates the value itself. */
  readonly value?: { readonly shown: string; readonly kind?: SettingKind }
  readonly meaning: string
  /** The possible values with their meanings, if the help of the command lists them. */
  readonly values?: Readonly<Record<string, string>>
}

/** The given flags by name with dashes; a switch has the value ''. */
export type CommandArguments = ReadonlyMap<string, string>

/** The argument after a command's name. It is required. */
export type Operand = { readonly shown: string; readonly meaning: string }

export type Command = {
  /** The words of its name, separated by spaces. */
  readonly path: string
  readonly summary: string
  /** Its text is in the arguments under the key `shown`. */
  readonly operand?: Operand
  readonly arguments: readonly CommandFlag[]
  /** The flags that must be given. */
  readonly required?: readonly string[]
  /** Operand and flags of the example in its help. Required for a command with an operand or required flags. */
  readonly example?: string
  /** Whether it ignores the settings, so that it also runs with a broken configuration. */
  readonly onDefaults?: true
  /** Runs the command. Returns the exit code. Throws as `runCommand` describes. */
  readonly run: (deps: CommandEnvironment, args: CommandArguments) => Promise<number>
}

/** A command lacks a target to work on, or a location for its output. */
export class NoPlaceError extends Error {
  override readonly name = 'NoPlaceError'
}

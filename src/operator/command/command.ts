import type { Credentials, Transport } from '../../agents/client/client.ts'
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
  readonly transport: Transport
  readonly sleep: (ms: number) => Promise<void>
  /** Settles when the user or the system asks this process to end, which then does not end by itself. */
  readonly interrupted: () => Promise<void>
  /** Opens the voucher store of a data directory or of instances, also beside running servers. Throws without one. */
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
  /** Runs a command of this program in a process of its own, with the settings of this one; absent where that is not possible. */
  readonly runCommand?: RunCommand | undefined
  /** Asks an agent at its address to begin; it may take as long as it likes to answer. Answers the status. Throws what fetch throws. */
  readonly beginAgent: (address: string, terms: object, signal: AbortSignal) => Promise<number>
  /** Starts an agent's program; its streams are piped. Throws when there is no such program. */
  readonly startProgram: StartProgram
  readonly disk: CommandDisk
  readonly machine: CommandMachine
  /** Opens a store's file, also beside a running server. Throws without one. */
  readonly openStoreFile: (path: string) => StoreFile
  /** Restores a backup into a data directory without a store. Throws when that fails. */
  readonly restoreStore: typeof restoreStore
  /** The path or name of the executable in a shell. */
  readonly executable: string
  readonly user: UserSystem
  readonly keychain: Keychain
}

/** The system's keychain of this user. Each function throws UsageError where there is none that answers. */
export type Keychain = {
  /** Null where it has no entry of this name. */
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
  readonly front: Transport
  readonly ops: Transport
  readonly close: () => Promise<void>
}

/** A service in this process, and MCP for an agent of it. */
export type PracticeService = InsideService & {
  readonly venueClock: Clock
  /** Standby cancels, which are sent by no timer. */
  readonly standbys: {
    /** When the standby of an account and key is due; null where none is armed. */
    readonly dueMs: (pair: KeyPair) => Promise<number | null>
    /** Relays those that are due; settles when they are answered. */
    readonly send: () => Promise<void>
  }
  /** Serves MCP, a message a line, until the input ends. */
  readonly serveAgent: (
    agent: AgentOfWorld & {
      readonly input: AsyncIterable<Uint8Array>
      readonly write: (line: string) => Promise<void>
      /** Receives the answer of a call that the agent has cancelled, which is not written. */
      readonly unsent: (answer: string) => void
    },
  ) => Promise<void>
  /** Serves MCP over HTTP on a port of this machine. Throws what the system throws for a port that is taken. */
  readonly listenAgent: (agent: AgentOfWorld, terms: AgentListenerTerms) => AgentListener
}

/** An agent with its account. */
export type AgentOfWorld = {
  readonly credentials: Credentials
  readonly limits: Limits
  /** Where the tools' requests go. */
  readonly transport: Transport
}

export type AgentListenerTerms = {
  /** Zero is any free one. */
  readonly port: number
  /** What each request bears. */
  readonly token: string
  /**
   * Receives the text of each message. The result receives the text of the answer, which is empty where there is none. Null
   * for a message beyond a limit, which the listener refuses once it is closed.
   */
  readonly asked: (text: string) => ((answer: string) => void) | null
  /** Called when the agent ends its session. */
  readonly ended: () => void
}

export type AgentListener = {
  readonly url: string
  /** Refuses further messages in these words; settles when those that were begun are answered. */
  readonly close: (refusal: string) => Promise<void>
  readonly stop: () => Promise<void>
}

/** A program that runs: what it prints, where its input is written, and how it ends. */
export type RunningProgram = {
  readonly output: AsyncIterable<Uint8Array>
  readonly errors: AsyncIterable<Uint8Array>
  /** Settles when the program may be given more. Rejects once its input is closed. */
  readonly write: (text: string) => Promise<void>
  readonly closeInput: () => void
  /** Settles with the exit code, once the programs that it has started are ended too. */
  readonly exited: Promise<number>
  /** Ends the program and those that it has started. */
  readonly kill: () => void
}

export type StartProgram = (
  command: readonly string[],
  /** All of its environment. */
  variables: Readonly<Record<string, string>>,
) => RunningProgram

/** The machine as commands see it. */
export type CommandMachine = {
  /** How many processes run at a time. */
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
  /** The expiry of the settings' certificate. Throws an Error that names the unusable file. */
  readonly certificateEndMs: (settings: Settings) => Promise<number>
}

type FileWriter = {
  /** Never throws: what could not be written is thrown at the end. */
  readonly write: (text: string) => void
  readonly end: () => void
}

/** The disk and standard input for commands. */
export type CommandDisk = {
  readonly absolute: (path: string) => string
  /** Writes a file of mode 0600. Throws when it exists, unless it may be replaced. */
  readonly writeSecret: (path: string, text: string, way: 'new' | 'replace') => void
  /** Makes a folder, and the folders above it. */
  readonly makeFolder: (path: string) => void
  /** Writes a file in one step, and the folders above it. A reader sees the old text or the new one. */
  readonly write: (path: string, text: string) => void
  /** A new file that grows with each text. */
  readonly writer: (path: string) => FileWriter
  /** The path behind symbolic links; the path itself where there is nothing. */
  readonly resolved: (path: string) => string
  /** The same of mode 0600. */
  readonly replaceSecret: (path: string, text: string) => void
  readonly remove: (path: string) => void
  /** Whether there is nothing in a file, or no file. */
  readonly isEmpty: (path: string) => boolean
  /** All of standard input, for the operand `-`. */
  readonly readInput: () => Promise<string>
  /** The lines of a file, or of standard input for `-`, without lines that are too long. Throws when unreadable. */
  readonly readLines: (path: string) => AsyncIterable<string>
}

/** The dependencies of a command. */
export type CommandDeps = {
  readonly print: (line: string) => void
  /** Prints why the command fails: on the standard error, or with `--json` among the lines of the value. */
  readonly complain: (line: string) => void
  /** Prints lines for people, or with `--json` the value. */
  readonly report: (value: object, lines: readonly string[]) => void
  readonly settings: Settings
  readonly entries: readonly Entry[]
  /** The systemd unit that the settings are of; null for those of this process. */
  readonly unit: Pick<Unit, 'read' | 'unread' | 'encrypted'> | null
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
}

/** The given flags by name with dashes; a switch has the value ''. */
export type CommandArguments = ReadonlyMap<string, string>

/** The argument after a command's name. */
export type Operand = { readonly shown: string; readonly meaning: string }

export type Command = {
  /** The words of its name, separated by spaces. */
  readonly path: string
  readonly summary: string
  /** Its text is in the arguments under the key `shown`. */
  readonly operand?: Operand
  readonly arguments: readonly CommandFlag[]
  /** Whether it ignores the settings, so that it also runs with a broken configuration. */
  readonly onDefaults?: true
  /** Runs the command. Returns the exit code. Throws as `runCommand` describes. */
  readonly run: (deps: CommandDeps, args: CommandArguments) => Promise<number>
}

/** There is nothing that a command could work on, or no place for what it makes. */
export class NoPlaceError extends Error {
  override readonly name = 'NoPlaceError'
}

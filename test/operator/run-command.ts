import { commandMachine } from '../../src/main/command-machine.ts'
import { operatorCommands } from '../../src/main/commands.ts'
import type { CommandWorld } from '../../src/operator/command/command.ts'
import { runCommand as run } from '../../src/operator/command/output.ts'
import { openStoreFile } from '../../src/store/file.ts'
import { restoreStore } from '../../src/store/restore.ts'
import { running, type settingsFolder } from '../settings-folder.ts'

/** A world without a network: a command that reaches out fails. */
export const NO_NETWORK: CommandWorld = {
  clock: { nowMs: () => 1_700_000_000_000 },
  random: { bytes: (length) => new Uint8Array(length) },
  transport: () => Promise.reject(new Error('no network here')),
  openVoucherStore: () => Promise.reject(new Error('no store')),
  lookAtEngines: () => Promise.reject(new Error('no engine here')),
  sleep: () => Promise.resolve(),
  interrupted: () => Promise.resolve(),
  openInside: () => Promise.reject(new Error('no service here')),
  openPractice: () => Promise.reject(new Error('no service here')),
  beginAgent: () => Promise.reject(new Error('no network here')),
  startProgram: () => {
    throw new Error('no program here')
  },
  disk: {
    absolute: (path) => path,
    makeFolder: () => undefined,
    write: () => {
      throw new Error('nothing is written here')
    },
    writer: () => {
      throw new Error('nothing is written here')
    },
    writeSecret: () => {
      throw new Error('nothing is written here')
    },
    resolved: (path) => path,
    replaceSecret: () => {
      throw new Error('nothing is written here')
    },
    remove: () => undefined,
    isEmpty: () => true,
    readInput: () => Promise.resolve(''),
    readLines: () => {
      throw new Error('nothing is read here')
    },
  },
  machine: commandMachine(),
  openStoreFile,
  restoreStore,
  executable: '/usr/local/bin/prepd',
  keychain: {
    find: () => Promise.reject(new Error('no keychain here')),
    put: () => Promise.reject(new Error('no keychain here')),
    remove: () => Promise.reject(new Error('no keychain here')),
  },
  user: { platform: 'linux', home: '/nobody', variables: {} },
}

/** Runs an admin command as the program would, and answers what it printed and its exit code. */
export async function runCommand(
  folder: ReturnType<typeof settingsFolder> & { readonly print?: (line: string) => unknown },
  argv: readonly string[],
  env: Readonly<Record<string, string>> = {},
  world: CommandWorld = NO_NETWORK,
): Promise<{ lines: string[]; exitCode: number }> {
  const invocation = running(folder.invoke(['--mode', 'admin', ...argv], env))
  if (invocation.mode !== 'admin') throw new Error('not an admin command')
  const lines: string[] = []
  const { command, args, settings, entries, unit, json } = invocation
  const print = (line: string): void => {
    lines.push(line)
    folder.print?.(line)
  }
  const outside = { commands: operatorCommands(), files: folder.files, world }
  const own = { json, print, complain: print, settings, entries, unit }
  const exitCode = await run(command, args, { ...own, ...outside })
  return { lines, exitCode }
}

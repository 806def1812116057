import {
  chmodSync,
  closeSync,
  mkdirSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { LOGGING } from '../contract/operator/process.ts'
import { guarded, reportUnexpected } from '../core/loop/guarded.ts'
import type { World } from '../core/ports.ts'
import type { EngineSettings } from '../core/settings/engines.ts'
import type { Settings } from '../core/settings/settings.ts'
import type { CommandDisk, CommandWorld, InsideService } from '../operator/command/command.ts'
import { openStoreFile } from '../store/file.ts'
import { restoreStore } from '../store/restore.ts'
import type { VoucherStore } from '../store/voucher/port.ts'
import { openVoucherStore } from '../store/voucher/sqlite.ts'
import { commandMachine } from './command-machine.ts'
import { openDeployment } from './deployment.ts'
import { KEYCHAIN } from './keychain.ts'
import { beginAgent, openPracticeService, startProgram } from './practice.ts'
import { NO_WITNESSES, openSharedPostgres } from './store.ts'

/** The real environment of operator commands. A service that a command opens in its process does not log. */
export function commandWorld(
  world: Omit<World, 'log'>,
  variables: CommandWorld['user']['variables'],
): CommandWorld {
  const { clock, random } = world
  return {
    clock,
    random,
    transport: (request) => fetch(request),
    sleep: (ms) => Bun.sleep(ms),
    interrupted,
    openVoucherStore: (settings) => openCommandVouchers(settings, { ...world, log: SILENT_LOG }),
    lookAtEngines: async (engines) => {
      const { checkPostgres } = await import('../cluster/postgres/topology.ts')
      const { checkValkey } = await import('../cluster/valkey/topology.ts')
      const slow = commandEngineSettings(engines)
      const looks = [checkPostgres({ ...slow, ...clock }), checkValkey(slow.valkey, clock.nowMs)]
      return (await Promise.all(looks)).flat()
    },
    openInside: (settings) => openInside(settings, { ...world, log: SILENT_LOG }),
    openPractice: (settings, own) =>
      openPracticeService(settings, { ...world, ...own, log: SILENT_LOG }),
    runCommand: world.runCommand,
    beginAgent,
    startProgram,
    disk: DISK,
    machine: commandMachine(),
    openStoreFile,
    restoreStore,
    executable: process.execPath,
    keychain: KEYCHAIN,
    user: {
      platform: process.platform,
      // Reads the home directory only on use, because a user in a container may lack one.
      get home() {
        return homedir()
      },
      variables,
    },
  }
}

const doNothing = (): void => undefined
const SILENT_LOG = { error: doNothing, warn: doNothing, info: doNothing, debug: doNothing }

const DISK: CommandDisk = {
  absolute: (path) => resolve(path),
  makeFolder: (path) => void mkdirSync(path, { recursive: true }),
  write: (path, text) => {
    const isDevice = statSync(path, { throwIfNoEntry: false })?.isFile() === false
    if (isDevice) writeFileSync(path, text)
    else replaceFile(DISK.resolved(path), text, 0o666)
  },
  writer: (path) => {
    mkdirSync(dirname(path), { recursive: true })
    const file = openSync(path, 'w')
    let failure: { readonly error: unknown } | null = null
    return {
      write: (text) => {
        try {
          if (failure === null) writeFileSync(file, text)
        } catch (error) {
          failure = { error }
        }
      },
      end: () => {
        closeSync(file)
        if (failure !== null) throw failure.error
      },
    }
  },
  writeSecret: (path, text, way) => {
    writeFileSync(path, text, { mode: 0o600, flag: way === 'new' ? 'wx' : 'w' })
    // The mode above applies only to new files.
    chmodSync(path, 0o600)
  },
  resolved: (path) => {
    try {
      return realpathSync(path)
    } catch (error) {
      reportUnexpected('process', error, 'system')
      return path
    }
  },
  replaceSecret: (path, text) => replaceFile(path, text, 0o600),
  remove: (path) => rmSync(path, { force: true }),
  isEmpty: (path) => !statSync(path, { throwIfNoEntry: false })?.size,
  readInput: () => Bun.stdin.text(),
  readLines: (path) => readFileLines(path === '-' ? Bun.stdin : Bun.file(path)),
}

/** Replaces a file atomically: writes a temporary file and renames it. */
function replaceFile(path: string, text: string, mode: number): void {
  mkdirSync(dirname(path), { recursive: true })
  const beside = `${path}.${process.pid}.new`
  try {
    writeFileSync(beside, text, { mode, flag: 'wx', flush: true })
    renameSync(beside, path)
  } catch (error) {
    rmSync(beside, { force: true })
    throw error
  }
}

async function* readFileLines(file: Bun.BunFile): AsyncGenerator<string> {
  let rest = ''
  let isSkipping = false
  for await (const chunk of file.stream().pipeThrough(new TextDecoderStream())) {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop() ?? ''
    if (lines.length > 0 && isSkipping) {
      lines.shift()
      isSkipping = false
    }
    yield* lines
    if (rest.length > LOGGING.lineMaxChars) {
      rest = ''
      isSkipping = true
    }
  }
  if (!isSkipping) yield rest
}

function interrupted(): Promise<void> {
  return new Promise((resolve) => {
    const ended = guarded('process', () => resolve())
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, ended)
  })
}

async function openCommandVouchers(settings: Settings, world: World): Promise<VoucherStore> {
  const { dataDir, engines } = settings
  if (!engines) {
    const path = join(dataDir, 'prepd.sqlite')
    if (!(await Bun.file(path).exists())) throw new Error(`there is no store in ${dataDir}`)
    return openVoucherStore(path)
  }
  const shared = await openSharedPostgres(
    { ...settings, engines: commandEngineSettings(engines) },
    world,
    NO_WITNESSES,
  )
  return { ...shared.vouchers, close: shared.close }
}

/** How long a command waits for an engine: longer than requests, since a slow engine is still available. */
const ENGINE_WAIT_MAX_MS = 10_000

/** Engine settings for a command, which has no waiting caller. */
function commandEngineSettings({ postgres, valkey, ...engines }: EngineSettings): EngineSettings {
  const [waitMaxMs, connectMaxMs] = [ENGINE_WAIT_MAX_MS, ENGINE_WAIT_MAX_MS]
  return {
    ...engines,
    postgres: { ...postgres, waitMaxMs },
    valkey: { ...valkey, waitMaxMs, connectMaxMs },
  }
}

async function openInside(settings: Settings, world: World): Promise<InsideService> {
  const { front, ops, close } = await openDeployment(settings, world)
  return {
    front: async (request) => front(request, '127.0.0.1'),
    ops: async (request) => ops(request, '127.0.0.1'),
    close,
  }
}

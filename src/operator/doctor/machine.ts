import { DAY_MS } from '../../contract/durations.ts'
import { LOGGING } from '../../contract/operator/process.ts'
import { type Finding, fail, ok, warn } from '../../core/finding.ts'
import { verifyJournal } from '../../core/journal-verdict.ts'
import { reportUnexpected } from '../../core/loop/guarded.ts'
import { readTextFile } from '../../core/settings/files.ts'
import { hostText, type ListenAddress } from '../../core/settings/listen-address.ts'
import { printable } from '../../core/settings/usage-error.ts'
import { VENUE_NAME } from '../../store/connection/world.ts'
import type { Check, CheckEnvironment, Findings } from './check.ts'

/** Checks of the data directory and its contents. */
export const DISK_CHECKS: readonly Check[] = [
  { id: 'data_dir', run: dataDir },
  { id: 'disk_space', run: diskSpace },
  { id: 'file_modes', run: fileModes },
  { id: 'store', run: store },
  { id: 'agent_journal', run: agentJournal },
]

const STORE = 'prepd.sqlite'
const FILES = [
  STORE,
  `${STORE}-wal`,
  `${STORE}-shm`,
  VENUE_NAME,
  `${VENUE_NAME}-wal`,
  `${VENUE_NAME}-shm`,
  'prepd.mark',
  'prepd.lock',
  LOGGING.keyFile,
] as const
const READABLE_BY_OTHERS = 0o077
const SPACE_FAIL_BYTES = 64 * 1024 * 1024
const SPACE_WARN_BYTES = 1024 * 1024 * 1024

function dataDir({ settings, files, world }: CheckEnvironment): Finding {
  const { dataDir: path } = settings
  const facts = files.stat(path)
  if (facts === null) return ok(`${printable(path)} is not there yet: the first start makes it`)
  if (!facts.directory)
    return fail(`PREPD_DATA_DIR is not a directory: ${printable(path)}`, 'Name a directory.')
  if (!world.machine.isWritable(path))
    return fail(`${printable(path)} cannot be written`, 'Give it to the user that runs prepd.')
  if ((facts.mode & READABLE_BY_OTHERS) === 0) return ok(`${printable(path)}, its owner's alone`)
  return warn(`${printable(path)} is open to others`, `chmod 700 ${printable(path)}`)
}

function diskSpace({ settings, files, world }: CheckEnvironment): Findings {
  const path = existingPart(world.disk.absolute(settings.dataDir), files)
  const bytes = world.machine.freeBytes(path)
  if (bytes === null) return []
  const seen = `${Math.floor(bytes / 1024 / 1024)} MiB free at ${printable(path)}`
  const remedy = 'Free some: a write that cannot be recorded is refused.'
  if (bytes < SPACE_FAIL_BYTES) return fail(seen, remedy)
  return bytes < SPACE_WARN_BYTES ? warn(seen, remedy) : ok(seen)
}

/** The nearest directory that exists. The first start will use the disk of this directory. */
function existingPart(path: string, files: CheckEnvironment['files']): string {
  if (files.stat(path)?.directory) return path
  const parent = path.slice(0, path.lastIndexOf('/'))
  return parent === '' ? '/' : existingPart(parent, files)
}

function fileModes({ settings, files }: CheckEnvironment): Findings {
  if (!files.stat(settings.dataDir)?.directory) return []
  const open = FILES.filter((name) => {
    const facts = files.stat(`${settings.dataDir}/${name}`)
    return facts !== null && (facts.mode & READABLE_BY_OTHERS) !== 0
  })
  if (open.length === 0) return ok("every file is its owner's alone")
  return warn(`others may use ${open.join(', ')}`, 'chmod 600 them.')
}

async function store({ settings, files, world }: CheckEnvironment): Promise<Findings> {
  if (!files.stat(settings.dataDir)?.directory) return []
  const path = `${settings.dataDir}/${STORE}`
  if (files.stat(path) === null) return ok('no store yet')
  try {
    const { sqlite, version, known, damage, difference } = await world.openStoreFile(path).look()
    if (version > known)
      return fail(`store version ${version}, this prepd knows ${known}`, 'Use a newer prepd.')
    if (damage !== null)
      return fail(`SQLite says: ${damage}`, 'Stop prepd and `restore` a backup elsewhere.')
    if (difference !== null)
      return warn(`${difference} in the store`, 'Find out who changed it: prepd never does.')
    return ok(`store version ${version}, SQLite ${sqlite}, sound`)
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'unknown'
    return fail(`it cannot be read: ${reason}`, 'Stop prepd and `restore` a backup elsewhere.')
  }
}

async function agentJournal({ settings, files, world }: CheckEnvironment): Promise<Findings> {
  const path = `${settings.dataDir}/${STORE}`
  if (!files.stat(settings.dataDir)?.directory || files.stat(path) === null) return []
  try {
    const verdict = await world
      .openStoreFile(path)
      .readJournal((journal) => verifyJournal(journal, null))
    if (verdict.sound) return ok(`${verdict.entries} entries of agents, chained without a gap`)
    const seen = `entry ${verdict.sequence} of what agents wrote is ${verdict.fault}`
    return fail(seen, 'Find out who changed it: prepd never does.')
  } catch (error) {
    // Ignores the error: a previous check reports an unreadable file, and a store of an earlier version has no journal.
    reportUnexpected('process', error, Error)
    return []
  }
}

/** Checks of the machine's resources. */
export const MACHINE_CHECKS: readonly Check[] = [
  { id: 'descriptors', run: descriptors },
  { id: 'ports', run: ports },
  { id: 'tls', run: tls },
]

/** File descriptors that prepd needs besides its clients: the store, connections to the venue, listeners. */
const OWN_DESCRIPTORS = 512
const EXPIRY_WARNING_MS = 14 * DAY_MS

function descriptors({ settings, world }: CheckEnvironment): Findings {
  const max = world.machine.openFilesMax()
  if (max === null) return []
  const needed = settings.streamClients + OWN_DESCRIPTORS
  const seen = `${max} open files allowed, ${needed} wanted for PREPD_STREAM_CLIENTS`
  return max < needed
    ? warn(seen, `LimitNOFILE=${needed * 2} in the unit, or ulimit -n.`)
    : ok(seen)
}

async function ports({ settings, world }: CheckEnvironment): Promise<Findings> {
  const rows: readonly (readonly [string, ListenAddress | null])[] = [
    ['PREPD_LISTEN', settings.listen],
    ['PREPD_OPS_LISTEN', settings.opsListen],
    ['PREPD_VENUE_LISTEN', settings.venue.listen],
  ]
  const looked = rows.map(async ([name, at]) => {
    if (at === null || at.port === 0) return []
    const address = `${name} ${hostText(at.host)}:${at.port}`
    const trouble = await world.machine.listenTrouble(at)
    if (trouble === null) return ok(`${address} is free`)
    if (trouble !== 'EADDRINUSE')
      return fail(`${address} cannot be opened: ${trouble}`, 'Choose another address or port.')
    return (await world.machine.isPrepd(at))
      ? ok(`${address} is a prepd's`)
      : fail(`${address} is another program's`, 'Choose another port.')
  })
  return (await Promise.all(looked)).flat()
}

async function tls({ settings, unit, files, world }: CheckEnvironment): Promise<Findings> {
  if (!settings.tls) return []
  const { cert, key } = settings.tls
  const isEncrypted = unit?.isEncrypted ?? (() => false)
  if (isEncrypted(cert))
    return warn(
      'PREPD_TLS_CERT is an encrypted credential: the certificate was not looked at',
      'The running server shows when it ends: see /readyz and its metrics.',
    )
  const { pairEndMs, certificateEndMs } = world.machine
  try {
    const expiresAtMs = await (isEncrypted(key)
      ? certificateEndMs(readTextFile(files, cert) ?? '')
      : pairEndMs(settings))
    const day = new Date(expiresAtMs).toISOString().slice(0, 10)
    const unseen = isEncrypted(key) ? '; its encrypted key was not looked at' : ''
    const seen = `the certificate ends on ${day}${unseen}`
    const nowMs = world.clock.nowMs()
    if (expiresAtMs < nowMs) return fail(seen, 'Renew it; prepd notices the new files.')
    const isSoon = expiresAtMs < nowMs + EXPIRY_WARNING_MS
    return isSoon ? warn(seen, 'Renew it; prepd notices the new files.') : ok(seen)
  } catch (error) {
    return fail(error instanceof Error ? error.message : 'unreadable', 'See PREPD_TLS_CERT.')
  }
}

import { hostText, type ListenAddress } from '../../settings/listen-address.ts'
import { type Check, type CheckDeps, type Finding, fail, ok, warn } from './finding.ts'

/** What the machine gives. */
export const MACHINE_CHECKS: readonly Check[] = [
  { id: 'descriptors', look: descriptors },
  { id: 'ports', look: ports },
  { id: 'tls', look: tls },
]

/** What prepd opens beside its clients: the store, the venue's connections, listeners. */
const OWN_DESCRIPTORS = 512
const EXPIRY_WARNING_MS = 14 * 24 * 3_600_000

function descriptors({ settings, world }: CheckDeps): Finding[] {
  const max = world.machine.openFilesMax()
  if (max === null) return []
  const needed = settings.streamClients + OWN_DESCRIPTORS
  const seen = `${max} open files allowed, ${needed} wanted for PREPD_STREAM_CLIENTS`
  return [
    max < needed ? warn(seen, `LimitNOFILE=${needed * 2} in the unit, or ulimit -n.`) : ok(seen),
  ]
}

async function ports({ settings, world }: CheckDeps): Promise<Finding[]> {
  const rows: readonly (readonly [string, ListenAddress | null])[] = [
    ['PREPD_LISTEN', settings.listen],
    ['PREPD_OPS_LISTEN', settings.opsListen],
    ['PREPD_VENUE_LISTEN', settings.venue.listen],
  ]
  const looked = rows.map(async ([name, at]) => {
    if (at === null || at.port === 0) return []
    const said = `${name} ${hostText(at.host)}:${at.port}`
    const trouble = await world.machine.listenTrouble(at)
    if (trouble === null) return [ok(`${said} is free`)]
    if (trouble !== 'EADDRINUSE')
      return [fail(`${said} cannot be opened: ${trouble}`, 'Choose another address or port.')]
    return [
      (await world.machine.isPrepd(at))
        ? ok(`${said} is a prepd's`)
        : fail(`${said} is another program's`, 'Choose another port.'),
    ]
  })
  return (await Promise.all(looked)).flat()
}

async function tls({ settings, world }: CheckDeps): Promise<Finding[]> {
  if (!settings.tls) return []
  try {
    const expiresAtMs = await world.machine.certificateEndMs(settings)
    const seen = `the certificate ends on ${new Date(expiresAtMs).toISOString().slice(0, 10)}`
    const nowMs = world.clock.nowMs()
    if (expiresAtMs < nowMs) return [fail(seen, 'Renew it; prepd notices the new files.')]
    const isSoon = expiresAtMs < nowMs + EXPIRY_WARNING_MS
    return [isSoon ? warn(seen, 'Renew it; prepd notices the new files.') : ok(seen)]
  } catch (error) {
    return [fail(error instanceof Error ? error.message : 'unreadable', 'See PREPD_TLS_CERT.')]
  }
}

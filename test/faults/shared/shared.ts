import type { AnswerSpec, Recorded } from '../../recording-upstream.ts'
import { recordedOrAccepted } from '../../surface/recorded-venue.ts'
import { doubled, startRememberingVenue } from '../remembering-venue.ts'
import { startAttack } from './attack.ts'
import { HANGS, LINGERS, NEW_MARKET, SWELLS } from './attackers.ts'
import { type Served, trade, unserved } from './honest.ts'
import { openPlace, type SharedPlace } from './place.ts'
import { startWatch, type Watch } from './watch.ts'

const HONEST = 5
const VENUE_DELAY_MS = 5
const LINGER_MS = 1500
const ACCEPTED = { success: true, timestamp: 1, data: {} }
const SWOLLEN = { ...ACCEPTED, data: { client_order_id: SWELLS, rows: ['x'.repeat(100_000)] } }
/** Parts of the time. */
const PARTS = {
  ...{ quiet: 0.08, fill: 0.16, attack: 0.2, killed: 0.08, lost: 0.08, emptied: 0.08 },
  ...{ restored: 0.08, quietOnEngines: 0.06, attackOnEngines: 0.08 },
  ...{ enginesKilled: 0.05, enginesRolledBack: 0.05 },
} as const

/**
 * An account attacks each bound that callers share while five honest ones trade, cancel, reduce and read. Then prepd is
 * killed, its store and its volume are lost, and a backup is restored. On PostgreSQL and Valkey both are killed: Valkey comes
 * back with nothing, PostgreSQL once as it was and once as it was before. Notes figures; answers what was wrong: a cancel or
 * reduction refused, a slow read, a write that the venue met twice.
 */
export async function shareBounds(seconds: number, note: (line: string) => void) {
  const venue = await startRememberingVenue(() => VENUE_DELAY_MS, answerToAttack)
  const served = unserved()
  const place = openPlace(venue.url, served)
  const watch = await startWatch(place, note)
  const ending = new AbortController()
  const { signal } = ending
  await place.start()
  const honest = Array.from({ length: HONEST }, (_, at) =>
    trade(served, at + 1, { seen: watch.seen, signal }),
  )
  const attack = startAttack(served, signal)
  const soak = {
    place,
    served,
    watch,
    msOf: (name: keyof typeof PARTS) => PARTS[name] * seconds * 1000,
  }
  await loseStores(soak)
  const stopEngines = await loseEngines(soak)
  ending.abort()
  await Promise.all(honest)
  for (const line of await attack.ended()) note(`  ${line}`)
  await place.stop('SIGTERM')
  const wrong = [...watch.wrong, ...doubled(venue.orders).map((id) => `${id} was sent twice`)]
  await Promise.all([venue.stop(), stopEngines(), watch.stop()])
  place.remove()
  note(`shared: ${venue.orders.size} orders, wrong ${wrong.length}`)
  for (const line of wrong.slice(0, 20)) note(`  ${line}`)
  return wrong
}

function answerToAttack(request: Recorded): AnswerSpec | null {
  const { method, target, text } = request
  if (text.includes(HANGS)) return 'hang'
  if (text.includes(SWELLS)) return { json: SWOLLEN }
  if (target.startsWith('/v1/public') && !target.includes(NEW_MARKET))
    return recordedOrAccepted(request)
  const lingers = method === 'DELETE' && target.includes(LINGERS)
  return lingers ? { json: ACCEPTED, delayMs: LINGER_MS } : null
}

type Soak = {
  readonly place: SharedPlace
  readonly served: Served
  readonly watch: Watch
  readonly msOf: (name: keyof typeof PARTS) => number
}

/** On SQLite: quiet, the attack without rate limits, the attack, and losses while it goes on. */
async function loseStores({ place, served, watch, msOf }: Soak): Promise<void> {
  const quiet = await watch.pass('quiet', msOf('quiet'))
  const passAttacked = (name: keyof typeof PARTS) => watch.passAttacked(name, msOf(name), quiet)
  Object.assign(served, { isAttacked: true, isUnbound: true })
  await watch.pass('fill', msOf('fill'))
  served.isUnbound = false
  await passAttacked('attack')
  await place.stop('SIGKILL')
  await place.start()
  await passAttacked('killed')
  await place.backUp()
  await place.stop('SIGTERM')
  place.loseStore()
  await place.start()
  await passAttacked('lost')
  await place.confirmLoss()
  await place.stop('SIGKILL')
  place.loseVolume()
  await place.start()
  await passAttacked('emptied')
  await place.stop('SIGTERM')
  await place.restore()
  served.isRestored = true
  await place.start()
  await passAttacked('restored')
  await place.stop('SIGTERM')
  served.isRestored = false
}

/** On PostgreSQL and Valkey: quiet, the attack, and losses while it goes on; answers how to stop both. */
async function loseEngines({ place, served, watch, msOf }: Soak) {
  served.isAttacked = false
  const engines = await place.startEngines()
  await place.start()
  const quiet = await watch.pass('quietOnEngines', msOf('quietOnEngines'))
  const passAttacked = (name: keyof typeof PARTS) => watch.passAttacked(name, msOf(name), quiet)
  served.isAttacked = true
  await passAttacked('attackOnEngines')
  await engines.kill()
  await passAttacked('enginesKilled')
  await engines.rollBack()
  await passAttacked('enginesRolledBack')
  return engines.stop
}

import { join } from 'node:path'
import { envelope, jsonPost, newCaller } from '../caller.ts'
import { spawnPrepd, temporaryFolder } from '../surface/spawned.ts'
import { askToRegister, signedBody, WALLETS } from '../surface/wallets.ts'
import { doubled, startRememberingVenue } from './remembering-venue.ts'
import { UNLIMITED } from './unlimited.ts'

/** A body that is sent again and again, and its last answer. */
type Errand = {
  readonly id: string
  readonly path: string
  readonly body: unknown
  answered: boolean
}

/** What became of everything that was sent, over all kills. */
export type KillFigures = {
  readonly kills: number
  readonly writes: number
  readonly registrations: number
  readonly resent: number
  /** Writes and nonces that the venue met more than once. */
  readonly doubled: readonly string[]
  /** Writes and registrations that were answered, and that the venue never met. */
  readonly lost: readonly string[]
  /** Answers that no restart explains, by status and code. */
  readonly strange: readonly string[]
}

const CLIENTS = 16
const VENUE_DELAY_MAX_MS = 12
const LIFE_MIN_MS = 5
const LIFE_MAX_MS = 90
/** Signatures live five minutes: what is older is sent no more. */
const ERRANDS_KEPT = 400

/**
 * Kills prepd again and again while clients send signed writes and registrations, old and new, and lets it start again
 * on the same data. `chance` answers a number from 0 up to, not including, 1.
 */
export async function killAgainAndAgain(
  kills: number,
  random: () => number,
  onKill: (done: number) => void = () => undefined,
): Promise<KillFigures> {
  const venue = await startRememberingVenue(() => Math.floor(random() * VENUE_DELAY_MAX_MS))
  const folder = temporaryFolder()
  const settings = { VENUE: venue.url, DATA_DIR: join(folder.path, 'data'), ...UNLIMITED }
  const caller = newCaller()
  const errands: Errand[] = []
  const strange: string[] = []
  const counts = { writes: 0, registrations: 0, resent: 0 }

  function newWrite(): Errand {
    const id = `w${counts.writes++}`
    const body = JSON.stringify({ symbol: 'PERP_ETH_USDC', client_order_id: id })
    const signed = envelope(caller, { method: 'POST', path: '/v1/order', body })
    return { id, path: '/api/prep/relay', body: signed, answered: false }
  }

  async function newRegistration(url: string): Promise<Errand> {
    const toSign = await askToRegister({ fetch: (path, init) => fetch(url + path, init) })
    const body = await signedBody(WALLETS.viem(), toSign)
    counts.registrations += 1
    const id = String(toSign.message['registrationNonce'])
    return { id, path: '/api/prep/register', body, answered: false }
  }

  async function nextErrand(url: string): Promise<Errand> {
    const turn = random()
    const old = errands.at(-1 - Math.floor(random() * Math.min(errands.length, ERRANDS_KEPT)))
    if (turn < 0.4 && old) {
      counts.resent += 1
      return old
    }
    const errand = turn < 0.9 ? newWrite() : await newRegistration(url)
    errands.push(errand)
    return errand
  }

  async function send(url: string, errand: Errand): Promise<void> {
    const response = await fetch(url + errand.path, jsonPost(errand.body))
    const answer = Object(await response.json())
    if (response.ok && answer.created !== false) errand.answered = true
    else if (!EXPLAINED.has(answer.code) && answer.created !== false) {
      strange.push(`${response.status} ${answer.code}`)
    }
  }

  // A client goes on until the server is gone under it.
  async function client(url: string): Promise<void> {
    try {
      for (;;) await send(url, await nextErrand(url))
    } catch {
      // The connection ended with the process: what was sent is sent again by somebody, later.
    }
  }

  for (let done = 0; done < kills; done++) {
    const prepd = spawnPrepd({ settings })
    const url = await prepd.url()
    const clients = Array.from({ length: CLIENTS }, () => client(url))
    await Bun.sleep(LIFE_MIN_MS + random() * (LIFE_MAX_MS - LIFE_MIN_MS))
    prepd.kill('SIGKILL')
    await prepd.ended()
    await Promise.all(clients)
    onKill(done + 1)
  }
  const last = spawnPrepd({ settings })
  const url = await last.url()
  for (const errand of errands.slice(-ERRANDS_KEPT)) await send(url, errand)
  last.kill('SIGTERM')
  await last.ended()
  await venue.stop()
  folder[Symbol.dispose]()
  const met = (id: string) => venue.orders.has(id) || venue.nonces.has(id)
  return {
    kills,
    ...counts,
    doubled: [...doubled(venue.orders), ...doubled(venue.nonces)],
    lost: errands.filter(({ id, answered }) => answered && !met(id)).map(({ id }) => id),
    strange,
  }
}

/** The allowed answers to a repeat: the outcome is unknown, or the nonce is spent. */
const EXPLAINED = new Set<unknown>(['outcome_unknown', 'invalid_request', 'expired_signature'])

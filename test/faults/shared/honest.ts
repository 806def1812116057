import { envelope, jsonPost, newCaller, type TestCall } from '../../caller.ts'

/** Where prepd is at present. */
export type Served = {
  url: string
  /** How often it has started. */
  generation: number
  /** While an outage is made. */
  isAway: boolean
  isAttacked: boolean
  /** While attackers go as fast as they can. */
  isUnbound: boolean
  /** After a restore: reductions may wait for five minutes. */
  isRestored: boolean
}

/** Before the first start. */
export function unserved(): Served {
  const flags = { isAway: true, isAttacked: false, isUnbound: false, isRestored: false }
  return { url: '', generation: 0, ...flags }
}

/** What honest accounts saw. */
export type Seen = {
  readonly readMs: number[]
  readonly wrong: string[]
  counts: Record<'writes' | 'cancels' | 'reductions' | 'reads', number>
}

export function newSeen(): Seen {
  return { readMs: [], wrong: [], counts: { writes: 0, cancels: 0, reductions: 0, reads: 0 } }
}

/** Pause between the calls of an account: its rate windows admit that for ever. */
const PAUSE_MS = 250

/** Sends a call of a caller from an address; null where an outage began before its answer. */
async function sent(
  served: Served,
  signed: ReturnType<typeof envelope>,
  address: string,
): Promise<{ readonly status: number; readonly code: string; readonly ms: number } | null> {
  const { url, generation, isAway } = served
  if (isAway) return null
  const beganMs = performance.now()
  const { headers, ...init } = jsonPost(signed)
  const given = { ...headers, 'x-forwarded-for': address }
  const answer = await fetch(`${url}/api/prep/relay`, { ...init, headers: given }).catch(() => null)
  const body: unknown = await answer?.json().catch(() => null)
  if (!answer || served.isAway || served.generation !== generation) return null
  return {
    status: answer.status,
    code: String(Object(body).code ?? ''),
    ms: performance.now() - beganMs,
  }
}

type Kind = keyof Seen['counts']

/** An account that trades, cancels, reduces and reads until the signal; each write is sent twice. */
export async function trade(
  served: Served,
  number: number,
  { seen, signal }: Trading,
): Promise<void> {
  const caller = newCaller()
  const address = `203.0.113.${number}`
  const order = (id: string, own: object): TestCall => ({
    ...{ method: 'POST', path: '/v1/order' },
    body: JSON.stringify({ symbol: 'PERP_ETH_USDC', client_order_id: id, ...own }),
  })
  const reduce = { side: 'SELL', order_type: 'MARKET', order_quantity: 0.1, reduce_only: true }
  const buy = { side: 'BUY', order_type: 'LIMIT', order_price: 1, order_quantity: 0.1 }
  const read = ['reads', { method: 'GET', path: '/v1/positions' }] as const
  const callsOf = (round: number): readonly (readonly [Kind, TestCall])[] => [
    ...[read, ['writes', order(`honest-${number}-${round}`, buy)] as const],
    ...[read, ['cancels', { method: 'DELETE', path: '/v1/orders' }] as const],
    ...[read, ['reductions', order(`reduce-${number}-${round}`, reduce)] as const],
  ]
  for (let round = 0; !signal.aborted; round += 1)
    for (const [kind, call] of callsOf(round)) {
      const signed = envelope(caller, call)
      const answer = await sent(served, signed, address)
      if (answer) note(seen(), kind, answer, served.isRestored)
      if (kind === 'writes') await sent(served, signed, address)
      await Bun.sleep(PAUSE_MS)
    }
}

type Trading = {
  readonly seen: () => Seen
  readonly signal: AbortSignal
}

function note(
  seen: Seen,
  kind: Kind,
  { status, code, ms }: { readonly status: number; readonly code: string; readonly ms: number },
  mayWait: boolean,
): void {
  seen.counts[kind] += 1
  if (kind === 'reads') seen.readMs.push(ms)
  const waits = kind === 'reductions' && mayWait && code === 'outcome_unknown'
  if (status !== 200 && kind !== 'writes' && !waits) seen.wrong.push(`${kind}: ${status} ${code}`)
}

import { ToolFailure } from '../../../src/agents/tool.ts'
import { signDigest } from '../../../src/core/crypto/wallet-signature.ts'
import { fromHex } from '../../../src/core/hex.ts'
import type { Loose, ToolWorld } from '../tool-world.ts'
import type { Newcomer } from './newcomer.ts'

/** A read of the service itself, signed where it is the account's, with which answers and effects are compared. */
type Venue = (path: string) => Promise<Loose>

/** Events that an agent does not cause. */
export type Event = 'price rises' | 'price falls' | 'the next answer to a write is lost'

/** Something a person asks of an agent that knows the list of tools and nothing else. */
export type ListedTask = {
  readonly asked: string
  /** The fewest calls that can do it, those that the instructions demand among them. */
  readonly fewest: number
  readonly prepare?: (world: ToolWorld) => Promise<unknown>
  readonly run: (agent: Newcomer, meanwhile: (event: Event) => Promise<void>) => Promise<Loose>
  /** Whether the venue has done it, or says the same figures. */
  readonly isDone: (answer: Loose, venue: Venue) => Promise<boolean>
}

export const near = (a: number, b: number, within = 1e-6) =>
  Math.abs(a - b) <= within * Math.max(1, Math.abs(a), Math.abs(b))
export const sum = (rows: readonly Loose[], field: string): number =>
  rows.reduce((total: number, row) => total + row[field], 0)

export const positionOf = async (venue: Venue, symbol: string): Promise<Loose> =>
  (await venue('/v1/positions')).rows.find(
    (row: Loose) => row.symbol === symbol && row.position_qty !== 0,
  )
/** The value of a position at the mark, negative for a short. */
export const valueIn = async (venue: Venue, symbol: string): Promise<number> => {
  const { position_qty, mark_price } = await positionOf(venue, symbol)
  return position_qty * mark_price
}
export const weightOf = async (venue: Venue, symbol: string): Promise<number> =>
  (await valueIn(venue, symbol)) / (await venue('/v1/positions')).account_value
export const ordersOf = async (venue: Venue): Promise<Loose[]> =>
  (await venue('/v1/orders?status=INCOMPLETE')).rows
/** The conditional orders that wait, each group followed by its legs. */
export const stopsOf = async (venue: Venue): Promise<Loose[]> =>
  (await venue('/v1/algo/orders?status=INCOMPLETE')).rows.flatMap((row: Loose) => [
    row,
    ...row.child_orders,
  ])
export const marketOf = async (agent: Newcomer, symbol: string) =>
  (await agent.act('get market', { symbol })).market

/** The `meta` of a failure. Rejects where there is none. */
export async function failed(call: Promise<Loose>): Promise<Loose> {
  const error = await call.then(
    () => null,
    (reason: unknown) => reason,
  )
  if (error instanceof ToolFailure) return error.meta
  throw error ?? new Error('the call did not fail')
}

const CHAIN_ID = 42_161

/** Has the wallet of the account sign limits for it. */
export function mandated(limits: object) {
  return async ({ client, credentials }: ToolWorld): Promise<void> => {
    const { address, secret }: Loose = Object(credentials).wallet
    const asked = { kind: 'mandate', chainId: CHAIN_ID, address, limits }
    const { message, digest } = Object(await client.post('/api/prep/typed-data', asked))
    const signature = signDigest(fromHex(digest) ?? new Uint8Array(), secret)
    await client.post('/api/prep/mandate', { message, signature, address })
  }
}

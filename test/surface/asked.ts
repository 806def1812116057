import { ADVANCE_PATH } from '../../src/contract/venue/advance.ts'
import type { Target } from '../target.ts'

/** A failure as a program reads it. */
export type Failure = { readonly code: string; readonly meta: Readonly<Record<string, unknown>> }

/** The failure that a request gets. */
export async function asked(
  target: Pick<Target, 'fetch'>,
  path: string,
  init?: RequestInit,
): Promise<Failure> {
  return Object(await (await target.fetch(path, init)).json())
}

/** A signed act that moves a virtual clock. */
export const ADVANCE = {
  method: 'POST',
  path: ADVANCE_PATH,
  body: '{"steps":[{"ms":1}]}',
} as const

export const SYMBOL = 'PERP_ETH_USDC'
export const CANDLES = '/api/prep/candles'
export const RELAY = '/api/prep/relay'
/** Not on the tick of any market. */
export const OFF_TICK = 2500.123456789

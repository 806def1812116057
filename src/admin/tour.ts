import { createClient, type Transport } from '../client/client.ts'
import type { Clock, Random } from '../core/ports.ts'
import { openAccount } from './tour-account.ts'
import { createGuide } from './tour-guide.ts'
import { findMarket, trade } from './tour-trade.ts'

export type TourParts = {
  readonly baseUrl: string
  readonly transport: Transport
  readonly clock: Clock
  readonly random: Random
  readonly sleep: (ms: number) => Promise<void>
  readonly print: (line: string) => void
}

/**
 * Walks a user's whole journey with a throw-away wallet and key: markets, account, key, a resting order and its
 * cancel, a market buy and its close. Answers the exit code: 0 only if every step did what it should.
 */
export async function tour(parts: TourParts): Promise<0 | 1> {
  const { baseUrl, transport, clock, print, sleep } = parts
  const guide = createGuide(parts)
  const client = createClient({ baseUrl, transport, nowMs: clock.nowMs })
  print(`A tour of ${baseUrl}`)
  try {
    const market = await guide.step(
      'markets',
      () => findMarket(client),
      ({ count, symbol }) => `${count} active; the tour trades ${symbol}`,
    )
    const credentials = await openAccount(guide, client, parts)
    await trade(guide, { client, credentials, sleep }, market)
  } catch {
    print('The tour ended early.')
    return 1
  }
  print('Every step did what it should.')
  return 0
}

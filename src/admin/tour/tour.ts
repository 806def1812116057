import { createClient, type Transport } from '../../client/client.ts'
import type { Clock, Random } from '../../core/ports.ts'
import { UsageError } from '../../settings/usage-error.ts'
import { type CommandArguments, type CommandDeps, printMisuse } from '../command.ts'
import { openAccount } from './account.ts'
import { voucherGround } from './ground.ts'
import { createGuide } from './guide.ts'
import { patientTransport } from './patient-transport.ts'
import { tourSwap } from './swap.ts'
import { findMarket, trade } from './trade.ts'
import { tourVoucher, type VoucherGround } from './voucher.ts'

type TourParts = {
  readonly baseUrl: string
  readonly transport: Transport
  readonly clock: Clock
  readonly random: Random
  readonly sleep: (ms: number) => Promise<void>
  readonly print: (line: string) => void
  /** Where a voucher is made; null without the nodes for it. */
  readonly ground: VoucherGround | null
}

/**
 * The command: walks a running server, by default without a voucher. Answers the exit code: 0 only if every step did
 * what it should, 1 when one did not, 64 when a flag or setting is off.
 */
export async function tourCommand(
  deps: CommandDeps & { readonly baseUrl: string },
  args: CommandArguments,
): Promise<0 | 1 | 64> {
  const { print, world, baseUrl } = deps
  try {
    return await tour({ ...world, print, baseUrl, ground: voucherGround(deps, args) })
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    return printMisuse(print, ...error.lines)
  }
}

/** A user's whole journey: markets, account, key, orders, a swap, and a voucher where there is ground for one. */
async function tour(parts: TourParts): Promise<0 | 1> {
  const { baseUrl, print } = parts
  print(`A tour of ${baseUrl}`)
  try {
    await walk(parts)
  } catch {
    print('The tour ended early. --url names another server.')
    return 1
  }
  print('Every step did what it should.')
  print('An account of your own: prepd --mode admin account create')
  return 0
}

async function walk(parts: TourParts): Promise<void> {
  const { baseUrl, clock, random, sleep, ground } = parts
  const guide = createGuide(parts.print)
  const onWait = (seconds: number) => parts.print(`    asked to wait ${seconds} s`)
  const { transport, isEmbedded } = observed(patientTransport({ ...parts, onWait }))
  const client = createClient({ baseUrl, transport, nowMs: clock.nowMs })
  const market = await guide.step(
    'markets',
    () => findMarket(client),
    ({ count, symbol }) => `${count} active; the tour trades ${symbol}`,
  )
  const credentials = await openAccount(guide, client, parts)
  const swap = { client, random, sleep, isEmbedded: isEmbedded() }
  // A live venue refuses the first order of an account without funds, and with it ends the tour.
  if (!swap.isEmbedded) await tourSwap(guide, swap)
  await trade(guide, { client, credentials, sleep }, market)
  if (swap.isEmbedded) await tourSwap(guide, swap)
  if (ground) await tourVoucher(guide, { ...ground, client, sleep })
}

/** A transport that remembers whether the server last spoke of an embedded venue. */
function observed(transport: Transport) {
  let embedded = false
  return {
    isEmbedded: () => embedded,
    transport: async (request: Request) => {
      const response = await transport(request)
      embedded = response.headers.get('x-prepd-venue') === 'embedded'
      return response
    },
  }
}

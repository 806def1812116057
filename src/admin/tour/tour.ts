import { createClient, type Transport } from '../../client/client.ts'
import { expected } from '../../core/loop/guarded.ts'
import { textOf, UNREADABLE } from '../../settings/files.ts'
import { printable, UsageError } from '../../settings/usage-error.ts'
import { readVoucherConfig } from '../../voucher/config-file.ts'
import { openingSteps } from '../account/open.ts'
import { patientTransport } from '../account/transport.ts'
import { type CommandArguments, type CommandDeps, printMisuse } from '../command/command.ts'
import { TOUR_FLAGS } from '../command/flags.ts'
import { later, runSteps, type Step } from '../command/steps.ts'
import { isLocalUrl, localNode } from './local-node.ts'
import { swapSteps } from './swap.ts'
import { findMarket, type TourMarket, tradeSteps } from './trade.ts'
import { type VoucherPlace, voucherSteps } from './voucher.ts'

type TourParts = Pick<CommandDeps, 'print'> &
  Pick<CommandDeps['world'], 'transport' | 'clock' | 'random' | 'sleep'> & {
    readonly baseUrl: string
    /** Where a voucher is made; null without the nodes for it. */
    readonly voucherPlace: VoucherPlace | null
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
    const voucherPlace = voucherPlaceOf(deps, args)
    print(`A tour of ${baseUrl}`)
    return await toured({ ...world, print, baseUrl, voucherPlace })
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    return printMisuse(print, ...error.lines)
  }
}

async function toured(parts: TourParts): Promise<0 | 1> {
  const { print } = parts
  try {
    await runSteps(tourSteps(parts), print)
  } catch (error) {
    expected('process', error, Error)
    print('The tour ended early. --url names another server.')
    return 1
  }
  print('Every step did what it should.')
  print('An account of your own: prepd --mode admin account create')
  return 0
}

/** A user's whole journey: markets, account, key, orders, a swap, and a voucher where there is a place for one. */
function tourSteps(parts: TourParts): readonly Step[] {
  const { baseUrl, print, clock, random, sleep, voucherPlace } = parts
  const onWait = (seconds: number) => print(`    asked to wait ${seconds} s`)
  const { transport, wasEmbedded } = observed(patientTransport({ ...parts, onWait }))
  const client = createClient({ baseUrl, transport, nowMs: clock.nowMs })
  const [market, embedded] = [later<TourMarket>(), later<boolean>()]
  const { steps: opening, opened } = openingSteps(client, parts)
  const markets: Step = [
    'markets',
    async () => {
      const { count, symbol } = market.set(await findMarket(client))
      embedded.set(wasEmbedded())
      return `${count} active; the tour trades ${symbol}`
    },
  ]
  const swap = swapSteps({ client, random, sleep, isEmbedded: embedded.get })
  return [
    markets,
    ...opening,
    // A live venue refuses the first order of an account without funds, and with it ends the tour.
    ...swap.map((step) => onlyIf(step, () => !embedded.get())),
    ...tradeSteps({ client, credentials: opened.get, sleep }, market.get),
    ...swap.map((step) => onlyIf(step, embedded.get)),
    ...(voucherPlace ? voucherSteps({ ...voucherPlace, client, sleep }) : []),
  ]
}

function onlyIf([name, run, only = () => true]: Step, isSo: () => boolean): Step {
  return [name, run, () => isSo() && only()]
}

/** A transport that remembers whether the server last spoke of an embedded venue. */
function observed(transport: Transport) {
  let embedded = false
  return {
    wasEmbedded: () => embedded,
    transport: async (request: Request) => {
      const response = await transport(request)
      embedded = response.headers.get('x-prepd-venue') === 'embedded'
      return response
    },
  }
}

/**
 * Where the tour makes a voucher; null when no nodes are given. Throws UsageError when only one is, when one is not
 * of this machine, or when the settings name no sound VOUCHER file.
 */
function voucherPlaceOf(
  { settings, files, world }: CommandDeps,
  args: CommandArguments,
): VoucherPlace | null {
  const [source, destination] = [nodeUrl(args, 'source'), nodeUrl(args, 'destination')]
  if (source === undefined && destination === undefined) return null
  if (source === undefined || destination === undefined) {
    const flags = Object.values(TOUR_FLAGS).map(({ flag }) => flag)
    throw new UsageError(`${flags.join(' and ')} go together: give both or neither`)
  }
  return {
    config: readVoucherConfig(fileText(settings.voucher.path, files)),
    source: localNode({ ...world, url: source, name: 'source node' }),
    destination: localNode({ ...world, url: destination, name: 'destination node' }),
  }
}

function nodeUrl(args: CommandArguments, end: keyof typeof TOUR_FLAGS): string | undefined {
  const { flag } = TOUR_FLAGS[end]
  const url = args.get(flag)
  if (url !== undefined && !isLocalUrl(url)) {
    throw new UsageError(`${flag} must be a node on this machine: its host a loopback address`)
  }
  return url
}

function fileText(path: string | null, files: CommandDeps['files']): string {
  if (path === null) throw new UsageError('PREPD_VOUCHER must be set as for the running server')
  const text = textOf(files, path)
  if (text !== null) return text
  throw new UsageError(`PREPD_VOUCHER ${UNREADABLE}: ${printable(path)}`)
}

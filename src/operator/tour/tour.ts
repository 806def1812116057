import { ClientFailure, createClient } from '../../agents/client/client.ts'
import { isLoopbackUrl } from '../../core/base-url.ts'
import { reportUnexpected } from '../../core/loop/guarded.ts'
import { settingText } from '../../core/settings/files.ts'
import { UsageError } from '../../core/settings/usage-error.ts'
import { readVoucherConfig } from '../../gateway/voucher/config-file.ts'
import { openingSteps } from '../account/open.ts'
import { observeVenueKind, retryingTransport, serverUrl } from '../account/transport.ts'
import type { CommandArguments, CommandEnvironment } from '../command/command.ts'
import { TOUR_FLAGS } from '../command/flags.ts'
import { type CommandStep, runSteps } from '../command/steps.ts'
import { newFindings, type Tour, type VoucherNodes } from './context.ts'
import { localNode } from './local-node.ts'
import { askQuote, followTransfer } from './swap.ts'
import * as trade from './trade.ts'
import * as voucher from './voucher.ts'

type Condition = (tour: Tour) => boolean

const isAlways: Condition = () => true
const isLive: Condition = ({ isEmbedded }) => !isEmbedded()
const isEmbeddedVenue: Condition = ({ isEmbedded }) => isEmbedded()
const hasDemoSwap: Condition = (tour) => tour.isEmbedded() && tour.quote.get().demoCall !== ''
const withNodes: Condition = ({ hasNodes }) => hasNodes

type Row = readonly [name: string, run: (tour: Tour) => Promise<string>, only: Condition]

/** The steps of a user who has an account: trades, swaps, and a voucher if nodes are given. */
const STEPS: readonly Row[] = [
  // A live venue refuses the first order of an unfunded account, which ends the tour, so the quote comes first.
  ['swap quote', askQuote, isLive],
  ['balance', trade.readBalance, isAlways],
  ['limit order', trade.placeLimit, isAlways],
  ['cancel', trade.cancelTourOrder, isAlways],
  ['market buy', trade.buyAtMarket, isAlways],
  ['position', trade.readPosition, isAlways],
  ['close', trade.closeTourPosition, isAlways],
  ['flat', trade.expectFlat, isAlways],
  ['balance', trade.readBalance, isAlways],
  ['swap quote', askQuote, isEmbeddedVenue],
  ['swap status', followTransfer, hasDemoSwap],
  ['deposit', voucher.makeDeposit, withNodes],
  ['voucher', voucher.expectPending, withNodes],
  ['finality', voucher.mineBlocks, withNodes],
  ['voucher', voucher.awaitVoucher, withNodes],
  ['redeem', voucher.redeem, withNodes],
  ['redeem again', voucher.redeemAgain, withNodes],
]

/**
 * Runs the tour on a running server. The voucher steps run only if nodes are given. Returns the exit code: 0 if every
 * step succeeded, 1 if one failed, 64 for a malformed flag or setting.
 */
export async function tourCommand(
  deps: CommandEnvironment,
  args: CommandArguments,
): Promise<0 | 1> {
  const { print, complain } = deps
  const baseUrl = serverUrl(deps, args)
  const steps = tourSteps(deps, baseUrl, voucherNodes(deps, args))
  print(`A tour of ${baseUrl}`)
  try {
    await runSteps(steps, print)
  } catch (error) {
    reportUnexpected('process', error, Error)
    complain(
      isUnreachable(error)
        ? `No server answers at ${baseUrl}: start prepd, or name another server with --url.`
        : 'The tour ended early. --url names another server.',
    )
    return 1
  }
  print('Every step did what it should.')
  print('An account of your own: prepd --mode admin account create')
  return 0
}

function isUnreachable(error: unknown): boolean {
  return error instanceof ClientFailure && error.meta['unreachable'] === 'service'
}

/** All steps in order: markets, the account with its key, and the steps of the table. */
function tourSteps(
  { world, print }: CommandEnvironment,
  baseUrl: string,
  nodes: VoucherNodes | null,
): CommandStep[] {
  const { clock, random, sleep } = world
  const onWait = (seconds: number) => print(`    asked to wait ${seconds} s`)
  const { transport, isEmbedded } = observeVenueKind(retryingTransport({ ...world, onWait }))
  const client = createClient({ baseUrl, transport, nowMs: clock.nowMs })
  const { steps, opened } = openingSteps(client, world)
  const relay: Tour['relay'] = (call) => client.relay(opened.get(), call)
  const given = { client, randomBytes: random.bytes, sleep, isEmbedded, relay }
  const tour: Tour = { ...given, ...newFindings(), hasNodes: nodes !== null }
  if (nodes) tour.nodes.set(nodes)
  return [
    ['markets', () => trade.findMarket(tour)],
    ...steps,
    ...STEPS.map(([name, run, only]): CommandStep => [name, () => run(tour), () => only(tour)]),
  ]
}

/**
 * The nodes for the tour's voucher; null if no node is given. Throws UsageError if only one node is given, if a node is
 * on another machine, or if the settings lack a valid VOUCHER file.
 */
function voucherNodes(
  { settings, files, world }: CommandEnvironment,
  args: CommandArguments,
): VoucherNodes | null {
  const [source, destination] = [nodeUrl(args, 'source'), nodeUrl(args, 'destination')]
  if (source === undefined && destination === undefined) return null
  if (source === undefined || destination === undefined) {
    const flags = Object.values(TOUR_FLAGS).map(({ flag }) => flag)
    throw new UsageError(`${flags.join(' and ')} go together: give both or neither`)
  }
  return {
    config: readVoucherConfig(settingText(files, 'PREPD_VOUCHER', settings.voucher.path)),
    source: localNode({ ...world, url: source, name: 'source node' }),
    destination: localNode({ ...world, url: destination, name: 'destination node' }),
  }
}

function nodeUrl(args: CommandArguments, end: keyof typeof TOUR_FLAGS): string | undefined {
  const { flag } = TOUR_FLAGS[end]
  const url = args.get(flag)
  if (url !== undefined && !isLoopbackUrl(URL.parse(url))) {
    throw new UsageError(`${flag} must be a node on this machine: its host a loopback address`)
  }
  return url
}

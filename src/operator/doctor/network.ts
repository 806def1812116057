import { LIMITS } from '../../contract/limits.ts'
import { TRACING } from '../../contract/operator/process.ts'
import { type Finding, fail, ok, warn } from '../../core/finding.ts'
import { isObject, rowsAt } from '../../core/json.ts'
import { reportUnexpected } from '../../core/loop/guarded.ts'
import { tracesUrl } from '../../core/settings/traces.ts'
import { CHAINS_PATH, keyHeader } from '../../gateway/swap/remote/wire.ts'
import { readVoucherConfig } from '../../gateway/voucher/config-file.ts'
import { signerAddresses, voucherProblems } from '../../gateway/voucher/problems.ts'
import { remoteSigner } from '../../gateway/voucher/remote-signer.ts'
import { createRpc } from '../../gateway/voucher/rpc.ts'
import { agreeOnSigner, type SigningPeer } from '../../store/voucher/signers.ts'
import { VOUCHER_FLAGS } from '../command/flags.ts'
import { numbered } from '../command/tables.ts'
import type { Check, CheckEnvironment, Findings } from './check.ts'
import { type CheckedUpstream, connectionProblem, requestUpstream } from './upstream-request.ts'

/** Checks a live venue: whether it answers and knows the operator's broker id, its latency, and its clock. */
export const VENUE_CHECK: Check = { id: 'venue', network: true, run: venue }

/** Checks that call other hosts. */
export const NETWORK_CHECKS: readonly Check[] = [
  VENUE_CHECK,
  { id: 'swap', network: true, run: swap },
  { id: 'voucher_store', network: true, run: voucherStore },
  { id: 'voucher_signers', network: true, run: voucherSigners },
  { id: 'voucher_endpoints', network: true, run: voucherEndpoints },
  { id: 'traces', network: true, run: traces },
]

const SLOW_MS = 1000
const SKEW_WARN_MS = 2000
const SKEW_FAIL_MS = 60_000
const CHAINS_MAX = 64

async function venue({ settings, world }: CheckEnvironment): Promise<Findings> {
  const { at, paperOf } = settings.venue
  const url = at === 'embedded' ? paperOf : at
  if (url === null) return ok('embedded')
  const upstream = paperOf
    ? { name: 'the live venue', setting: 'PREPD_PAPER_OF', url }
    : { name: 'the venue', setting: 'PREPD_VENUE', url }
  const startedMs = world.clock.nowMs()
  const answer = await requestUpstream(world, upstream, '/v1/public/system_info')
  if (answer.problem) return answer.problem
  const tookMs = world.clock.nowMs() - startedMs
  return [
    latency(upstream.name, tookMs),
    ...skew(answer.body, startedMs + tookMs / 2, paperOf ? PAPER_CLOCK : SIGNING_CLOCK),
    paperOf
      ? ok(`practice: its markets are those of ${paperOf.origin}, which no order reaches`)
      : await broker(settings.brokerId, world, upstream),
  ]
}

const SIGNING_CLOCK = 'signatures are judged by the clock.'
const PAPER_CLOCK = 'funding is charged at the times of the live venue.'

function latency(name: string, tookMs: number): Finding {
  const seen = `${name} answers in ${Math.round(tookMs)} ms`
  return tookMs > SLOW_MS ? warn(seen, 'Run prepd nearer to the venue.') : ok(seen)
}

function skew(body: unknown, nowMs: number, reason: string): Finding[] {
  const theirs = isObject(body) ? Number(body['timestamp']) : Number.NaN
  if (!Number.isFinite(theirs)) return []
  const skewMs = Math.round(Math.abs(nowMs - theirs))
  const seen = `the clocks differ by ${skewMs} ms`
  const remedy = `Run chrony or systemd-timesyncd: ${reason}`
  if (skewMs > SKEW_FAIL_MS) return [fail(seen, remedy)]
  return [skewMs > SKEW_WARN_MS ? warn(seen, remedy) : ok(seen)]
}

async function broker(
  brokerId: string,
  world: CheckEnvironment['world'],
  upstream: CheckedUpstream,
): Promise<Finding> {
  const path = `/v1/public/broker/name?broker_id=${encodeURIComponent(brokerId)}`
  const answer = await requestUpstream(world, upstream, path)
  if (answer.problem) return answer.problem
  const { body } = answer
  const rows = rowsAt(isObject(body) ? body['data'] : null, 'rows')
  return rows.some((row) => row['broker_id'] === brokerId)
    ? ok(`the venue knows ${brokerId}`)
    : fail(`the venue does not know ${brokerId}`, 'Set PREPD_BROKER_ID to the id it gave you.')
}

/** Checks that the swap provider answers and, if a key is set, accepts the key. */
async function swap({ settings, world }: CheckEnvironment): Promise<Findings> {
  const { at, key } = settings.swap
  if (at === null || at === 'embedded') return []
  const upstream = { name: 'the swap provider', setting: 'PREPD_SWAP', url: at }
  const answer = await requestUpstream(world, upstream, CHAINS_PATH, keyHeader(key))
  if (answer.problem) return answer.problem
  const chains = isObject(answer.body) ? answer.body['chains'] : undefined
  return Array.isArray(chains)
    ? ok(`the swap provider answers, with ${numbered(chains.length, 'chain')}`)
    : fail(
        `the swap provider: ${at.origin} answers no list of chains`,
        'Look at the host in PREPD_SWAP: it is no swap provider.',
      )
}

/** Checks that the store of these settings is adopted, so that its voucher key may sign. */
async function voucherStore({ settings, files, world }: CheckEnvironment): Promise<Findings> {
  const { dataDir, engines, voucher } = settings
  if (voucher.path === null || voucherProblems(settings, files).length > 0) return []
  const addresses = signerAddresses(settings, files)
  if (addresses.length === 0) return []
  const path = engines ? '' : ` --data-dir ${world.disk.absolute(dataDir)}`
  const adopt = `prepd --mode admin voucher adopt${path}`
  const fresh = `A new store does not count vouchers that a lost store signed: wait \`validitySeconds\` plus 24 hours after the last of them. Then run: ${adopt}`
  const lost = `If no voucher was lost: ${adopt} ${VOUCHER_FLAGS.complete.flag}. Otherwise: ${adopt}`
  try {
    const store = await world.openVoucherStore(settings)
    try {
      const adopted = (await store.isAdopted())
        ? ok('the voucher store is adopted')
        : warn(
            'the voucher store is not adopted: no voucher is signed',
            (await store.hasLostSince(0)) ? lost : fresh,
          )
      return [adopted, signerFindings(addresses, await store.signingPeers())].flat()
    } finally {
      store.close()
    }
  } catch (error) {
    reportUnexpected('process', error, Error)
    return warn(
      'there is no voucher store yet: a new one signs no voucher until it is adopted',
      `Start prepd once. ${fresh}`,
    )
  }
}

/** Findings about other instances that sign vouchers with a key that is missing here; empty if no instance signs. */
function signerFindings(addresses: readonly string[], peers: readonly SigningPeer[]): Findings {
  const agreement = agreeOnSigner(addresses, peers)
  if ('signer' in agreement)
    return peers.length === 0 ? [] : ok('the living instances accept the voucher key')
  return fail(
    `another instance signs vouchers with ${agreement.conflict}, whose key is not here: this one signs none`,
    'Give that key as the second line of PREPD_VOUCHER_KEY, or stop that instance.',
  )
}

/** Checks that each remote signer uses the key that the voucher file names. */
async function voucherSigners({ settings, files }: CheckEnvironment): Promise<Findings> {
  const { path } = settings.voucher
  if (path === null || voucherProblems(settings, files).length > 0) return []
  const readText = async (file: string) => files.read(file)
  const looked = readVoucherConfig(files.read(path)).signers.map(async (key) => {
    const signer = remoteSigner(key, { readText, changed: () => undefined })
    await signer.check()
    const fault = signer.fault()
    return fault === null
      ? ok(`${key.url.origin} signs for ${key.address}`)
      : fail(`${key.url.origin} does not sign for ${key.address}: ${fault}`, SIGNER_REMEDY)
  })
  return Promise.all(looked)
}

const SIGNER_REMEDY =
  'Look at that machine, whether it has this key, and whether both sides take the certificate of the other.'

/** Checks that each endpoint of the voucher file serves its chain. */
async function voucherEndpoints({ settings, files }: CheckEnvironment): Promise<Findings> {
  const { path } = settings.voucher
  if (path === null || voucherProblems(settings, files).length > 0) return []
  const { chains } = readVoucherConfig(files.read(path))
  const looked = [...chains.values()]
    .slice(0, CHAINS_MAX)
    .map(async ({ chainId, rpcs, quorum }) => {
      const signal = AbortSignal.timeout(LIMITS.upstreamReadDeadlineMs)
      const answered = await Promise.all(rpcs.map((url) => confirmsChain(url, chainId, signal)))
      const good = answered.filter(Boolean).length
      const seen = `chain ${chainId}: ${good} of ${rpcs.length} endpoints answer, ${quorum} are needed`
      if (good < quorum)
        return fail(seen, 'No voucher is signed for it: mend or replace the endpoints.')
      return good < rpcs.length ? warn(seen, 'Mend or replace the others.') : ok(seen)
    })
  return Promise.all(looked)
}

async function confirmsChain(url: URL, chainId: number, signal: AbortSignal): Promise<boolean> {
  try {
    const answer = await createRpc(url)('eth_chainId', [], signal)
    return typeof answer === 'string' && Number(answer) === chainId
  } catch (error) {
    reportUnexpected('process', error, Error)
    return false
  }
}

const TRACES_REMEDY =
  'Look at OTEL_EXPORTER_OTLP_ENDPOINT, which is asked for /v1/traces, and its headers.'

/** Checks that the trace collector accepts an empty export. */
async function traces({ settings, world }: CheckEnvironment): Promise<Findings> {
  if (settings.traces === null) return []
  const { collector, headers } = settings.traces
  try {
    const response = await world.transport(
      new Request(tracesUrl(collector), {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: '{"resourceSpans":[]}',
        signal: AbortSignal.timeout(TRACING.exportDeadlineMs),
      }),
    )
    await response.body?.cancel()
    if (response.ok) return ok(`${collector.origin} takes traces`)
    return fail(`the collector of traces answers ${response.status}`, TRACES_REMEDY)
  } catch (error) {
    const upstream = { name: 'traces', setting: 'OTEL_EXPORTER_OTLP_ENDPOINT', url: collector }
    return connectionProblem(upstream, error)
  }
}

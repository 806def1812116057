import { isObject } from '../../core/json.ts'
import { tracesUrl } from '../../settings/traces.ts'
import { LIMITS } from '../../spec/limits.ts'
import { TRACING } from '../../spec/operator/tracing.ts'
import { createRpc } from '../../voucher/chains/rpc.ts'
import { readVoucherConfig } from '../../voucher/config-file.ts'
import { voucherProblems } from '../../voucher/problems.ts'
import { type Check, type CheckDeps, type Finding, fail, ok, warn } from './finding.ts'

/** What only others can say. */
export const NETWORK_CHECKS: readonly Check[] = [
  { id: 'venue', network: true, look: venue },
  { id: 'voucher_endpoints', network: true, look: voucherEndpoints },
  { id: 'traces', network: true, look: traces },
]

const SLOW_MS = 1000
const SKEW_WARN_MS = 2000
const SKEW_FAIL_MS = 60_000
const CHAINS_MAX = 64

/** Reach, latency, clock and the operator's id, of a live venue. */
async function venue({ settings, world }: CheckDeps): Promise<Finding[]> {
  const { at } = settings.venue
  if (at === 'embedded') return [ok('embedded')]
  const startedMs = world.clock.nowMs()
  try {
    const signal = AbortSignal.timeout(LIMITS.upstreamReadDeadlineMs)
    const response = await world.transport(
      new Request(`${at.origin}/v1/public/system_info`, { signal }),
    )
    const tookMs = world.clock.nowMs() - startedMs
    const body: unknown = await response.json()
    return [
      response.status === 200
        ? latency(tookMs)
        : fail(`the venue answers ${response.status}`, 'Look at its status, and at PREPD_VENUE.'),
      ...skew(body, startedMs + tookMs / 2),
      ...(await broker(settings, world, at)),
    ]
  } catch {
    return [fail(`${at.origin} cannot be reached`, 'Look at PREPD_VENUE, DNS and the firewall.')]
  }
}

function latency(tookMs: number): Finding {
  const seen = `the venue answers in ${Math.round(tookMs)} ms`
  return tookMs > SLOW_MS ? warn(seen, 'Run prepd nearer to the venue.') : ok(seen)
}

function skew(body: unknown, nowMs: number): Finding[] {
  const theirs = isObject(body) ? Number(body['timestamp']) : Number.NaN
  if (!Number.isFinite(theirs)) return []
  const skewMs = Math.round(Math.abs(nowMs - theirs))
  const seen = `the clocks differ by ${skewMs} ms`
  const remedy = 'Run chrony or systemd-timesyncd: signatures are judged by the clock.'
  if (skewMs > SKEW_FAIL_MS) return [fail(seen, remedy)]
  return [skewMs > SKEW_WARN_MS ? warn(seen, remedy) : ok(seen)]
}

async function broker(
  { brokerId }: CheckDeps['settings'],
  { transport }: CheckDeps['world'],
  at: URL,
): Promise<Finding[]> {
  const signal = AbortSignal.timeout(LIMITS.upstreamReadDeadlineMs)
  const path = `/v1/public/broker/name?broker_id=${encodeURIComponent(brokerId)}`
  const response = await transport(new Request(at.origin + path, { signal }))
  const body: unknown = await response.json()
  const data = isObject(body) && isObject(body['data']) ? body['data'] : {}
  const rows = Array.isArray(data['rows']) ? data['rows'].filter(isObject) : []
  return rows.some((row) => row['broker_id'] === brokerId)
    ? [ok(`the venue knows ${brokerId}`)]
    : [fail(`the venue does not know ${brokerId}`, 'Set PREPD_BROKER_ID to the id it gave you.')]
}

/** Whether each endpoint of the voucher file answers for its chain. */
async function voucherEndpoints({ settings, files }: CheckDeps): Promise<Finding[]> {
  const { path } = settings.voucher
  if (path === null || voucherProblems(settings, files).length > 0) return []
  const { chains } = readVoucherConfig(files.read(path))
  const looked = [...chains.values()]
    .slice(0, CHAINS_MAX)
    .map(async ({ chainId, rpcs, quorum }) => {
      const signal = AbortSignal.timeout(LIMITS.upstreamReadDeadlineMs)
      const heard = await Promise.all(rpcs.map((url) => saysChain(url, chainId, signal)))
      const good = heard.filter(Boolean).length
      const seen = `chain ${chainId}: ${good} of ${rpcs.length} endpoints answer, ${quorum} are needed`
      if (good < quorum)
        return fail(seen, 'No voucher is signed for it: mend or replace the endpoints.')
      return good < rpcs.length ? warn(seen, 'Mend or replace the others.') : ok(seen)
    })
  return Promise.all(looked)
}

async function saysChain(url: URL, chainId: number, signal: AbortSignal): Promise<boolean> {
  try {
    const answer = await createRpc(url)('eth_chainId', [], signal)
    return typeof answer === 'string' && Number(answer) === chainId
  } catch {
    return false
  }
}

const TRACES_REMEDY =
  'Look at OTEL_EXPORTER_OTLP_ENDPOINT, which is asked for /v1/traces, and its headers.'

/** Whether the collector of traces takes an export: one without a span. */
async function traces({ settings, world }: CheckDeps): Promise<Finding[]> {
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
    if (response.ok) return [ok(`${collector.origin} takes traces`)]
    return [fail(`the collector of traces answers ${response.status}`, TRACES_REMEDY)]
  } catch {
    return [fail(`${collector.origin} cannot be reached`, TRACES_REMEDY)]
  }
}

import { type Finding, fail, ok, warn } from '../../core/finding.ts'
import { isObject, parsedJson } from '../../core/json.ts'
import { reportUnexpected } from '../../core/loop/guarded.ts'
import { localUrl } from '../../core/settings/listen-address.ts'
import { printable } from '../../core/settings/usage-error.ts'
import { readText } from '../../upstream/http-body.ts'
import type { Check, CheckEnvironment, Findings } from './check.ts'

/** Asks the running server of these settings for its readiness and for its last wait for the disk. */
export const SERVER_CHECK: Check = { id: 'server', network: true, run: server }

const DEADLINE_MS = 5000
const READY_MAX_BYTES = 64 * 1024
const METRICS_MAX_BYTES = 4 * 1024 * 1024
const UNREADY_REMEDY = 'Read its log; a balancer sends it nothing until it is ready.'

/** A longer sync counts as slow: even the disk of a small server takes only a few milliseconds. */
const SLOW_DISK_MS = 50
const SLOW_DISK_REMEDY =
  'A signed write waits for the disk before it is sent. One wait may be an exception: run doctor again, and use a faster disk if most waits are slow.'

async function server({ settings: { opsListen }, world }: CheckEnvironment): Promise<Findings> {
  if (opsListen === null || opsListen.port === 0)
    return ok('PREPD_OPS_LISTEN names no port, so a running server was skipped')
  const url = localUrl(opsListen)
  const answer = await readReadiness(world, url)
  if (answer) return [readiness(url, answer), ...(await diskWait(world, url))]
  return warn(
    `no server answers at ${url}: whether it is ready and what is degraded were not checked`,
    `Start one with the same settings: systemctl start prepd, or ${world.executable}`,
  )
}

function readiness(url: string, answer: Readonly<Record<string, unknown>>): Finding {
  const { ready, missing, degraded, reasons } = answer
  if (!ready) return fail(`the server at ${url} is not ready: ${shown(missing)}`, UNREADY_REMEDY)
  const names: readonly unknown[] = Array.isArray(degraded) ? degraded : []
  if (names.length === 0) return ok(`the server at ${url} is ready`)
  const found: Readonly<Record<string, unknown>> = isObject(reasons) ? reasons : {}
  const because = names.flatMap((name) => shown(found[String(name)] ?? []))
  return warn(
    `the server at ${url} is ready, and degraded: ${shown(names.join(', '))}`,
    because.filter(Boolean).join(' ') || 'Its log and metrics say why.',
  )
}

/** The last wait for the disk; empty before the first, and for a shared database. */
async function diskWait(
  world: CheckEnvironment['world'],
  url: string,
): Promise<readonly Finding[]> {
  const metrics = await readOps(world, `${url}/metrics`, METRICS_MAX_BYTES)
  const seconds = /^prepd_store_sync_seconds (\S+)$/m.exec(metrics ?? '')?.[1]
  if (seconds === undefined) return []
  const ms = Number(seconds) * 1000
  const seen = `its last wait for the disk took ${ms.toFixed(1)} ms`
  if (ms < SLOW_DISK_MS) return [ok(seen)]
  return [warn(seen, SLOW_DISK_REMEDY)]
}

/** The readiness that prepd answers at a URL; null if prepd does not answer there. */
async function readReadiness(world: CheckEnvironment['world'], url: string) {
  const text = await readOps(world, `${url}/readyz`, READY_MAX_BYTES)
  const value = text === null ? null : parsedJson(text)
  return isObject(value) && typeof value['ready'] === 'boolean' ? value : null
}

/** The text at a URL of the operator's listener; null without an answer. */
async function readOps(
  { transport }: CheckEnvironment['world'],
  url: string,
  maxBytes: number,
): Promise<string | null> {
  try {
    const signal = AbortSignal.timeout(DEADLINE_MS)
    const { body } = await transport(new Request(url, { signal, redirect: 'manual' }))
    // Passes no headers, because the runtime has already decompressed the body.
    return await readText({ headers: new Headers(), body }, { maxBytes })
  } catch (error) {
    reportUnexpected('process', error, Error)
    return null
  }
}

function shown(value: unknown): string {
  return printable(String(value))
}

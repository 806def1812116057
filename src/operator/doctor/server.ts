import { type Finding, fail, ok, warn } from '../../core/finding.ts'
import { isObject, parsedJson } from '../../core/json.ts'
import { expected } from '../../core/loop/guarded.ts'
import { localUrl } from '../../core/settings/listen-address.ts'
import { printable } from '../../core/settings/usage-error.ts'
import { readText } from '../../upstream/http-body.ts'
import type { Check, CheckEnvironment } from './check.ts'

/** Asks the running server of these settings whether it is ready. */
export const SERVER_CHECK: Check = { id: 'server', network: true, run: server }

const DEADLINE_MS = 5000
const READY_MAX_BYTES = 64 * 1024
const UNREADY_REMEDY = 'Read its log; a balancer sends it nothing until it is ready.'

async function server({ settings: { opsListen }, world }: CheckEnvironment): Promise<Finding> {
  if (opsListen === null || opsListen.port === 0)
    return ok('PREPD_OPS_LISTEN names no port, so a running server was skipped')
  const url = localUrl(opsListen)
  const answer = await readReadiness(world, url)
  if (!answer)
    return warn(
      `no server answers at ${url}: whether it is ready and what is degraded were not checked`,
      `Start one with the same settings: systemctl start prepd, or ${world.executable}`,
    )
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

/** The answer of `/readyz`; null if no prepd answers. */
async function readReadiness({ transport }: CheckEnvironment['world'], url: string) {
  try {
    const signal = AbortSignal.timeout(DEADLINE_MS)
    const { body } = await transport(new Request(`${url}/readyz`, { signal, redirect: 'manual' }))
    // The runtime has already decompressed the body.
    const text = await readText({ headers: new Headers(), body }, { maxBytes: READY_MAX_BYTES })
    const value = parsedJson(text)
    return isObject(value) && typeof value['ready'] === 'boolean' ? value : null
  } catch (error) {
    expected('process', error, Error)
    return null
  }
}

function shown(value: unknown): string {
  return printable(String(value))
}

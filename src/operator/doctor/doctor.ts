import { type Finding, ok, warn } from '../../core/finding.ts'
import type { CommandEnvironment } from '../command/command.ts'
import { aligned } from '../command/tables.ts'
import type { Check, CheckEnvironment } from './check.ts'
import {
  CONFIGURATION_CHECKS,
  LIVE_DATA_CHECK,
  OPS_LISTENER_CHECK,
  PRICES_CHECK,
} from './configuration.ts'
import { DISK_CHECKS, MACHINE_CHECKS } from './machine.ts'
import { NETWORK_CHECKS } from './network.ts'
import { SERVER_CHECK } from './server.ts'
import { VENUE_CHECKS } from './venue-shapes.ts'

/** Checks the shared engines. */
export const ENGINE_CHECK: Check = {
  id: 'engines',
  network: true,
  run: ({ settings, world }) => (settings.engines ? world.lookAtEngines(settings.engines) : []),
}

/** Reports the files of the systemd unit, and the files that only systemd can decrypt. */
const UNIT_CHECK: Check = {
  id: 'unit',
  run: ({ unit }) =>
    unit === null
      ? []
      : [
          ok(`read: ${unit.read.join(', ')}`),
          ...unit.unread.map((line) =>
            warn(line, 'The server has it from systemd: findings about its setting do not count.'),
          ),
        ],
}

/** Every check, in the order of the report. */
export const CHECKS: readonly Check[] = [
  UNIT_CHECK,
  ...DISK_CHECKS,
  ...MACHINE_CHECKS,
  ...CONFIGURATION_CHECKS,
  SERVER_CHECK,
  ...NETWORK_CHECKS,
  ENGINE_CHECK,
]

type Seen = Finding & { readonly id: string }

/** Runs all checks and prints the report. Returns the exit code: 0, or 1 for a failure. A warning alone gives 0. */
export function doctorCommand(deps: CommandEnvironment): Promise<0 | 1> {
  return reported(deps, CHECKS)
}

/** Calls the venue's public operations and reports answers that differ from the known shapes. */
export function doctorVenueCommand(deps: CommandEnvironment): Promise<0 | 1> {
  return reported(deps, VENUE_CHECKS)
}

async function reported(deps: CommandEnvironment, checks: readonly Check[]): Promise<0 | 1> {
  const findings = await runChecks(deps, checks)
  const cells = findings.map(({ state, id, seen }) => [state, id, seen])
  const remedies = findings.map(({ remedy }) => remedy)
  const lines = aligned(cells).flatMap((line, at) => {
    const remedy = remedies[at]
    return remedy === undefined ? [line] : [line, `      ${remedy}`]
  })
  const failed = findings.filter(({ state }) => state === 'fail').length
  const warned = findings.filter(({ state }) => state === 'warn').length
  deps.report({ failed, warned, findings }, [...lines, `${failed} failed, ${warned} warned`])
  return failed === 0 ? 0 : 1
}

/** The failures of all checks that need no network, one line each, for `config check`. */
export async function findProblems(deps: CheckEnvironment): Promise<readonly string[]> {
  const own = CHECKS.filter(({ network, id }) => !network && !RUNNING.has(id))
  const findings = await runChecks(deps, own)
  return findings.filter(({ state }) => state === 'fail').map(({ seen }) => seen)
}

/**
 * Warnings about the operator's listener, live data, the shared engines and the price file, one line each with its
 * remedy.
 */
export async function findWarnings(deps: CheckEnvironment): Promise<readonly string[]> {
  const findings = await runChecks(deps, [
    ...[OPS_LISTENER_CHECK, LIVE_DATA_CHECK, ENGINE_CHECK, PRICES_CHECK],
  ])
  return findings.flatMap(({ state, seen, remedy }) =>
    state === 'ok' ? [] : [`warning: ${seen}. ${remedy}`],
  )
}

/** Checks that depend on the running server. `config check` leaves them out. */
const RUNNING: ReadonlySet<string> = new Set(['ports', 'disk_space'])

async function runChecks(
  deps: CheckEnvironment,
  checks: readonly Check[],
): Promise<readonly Seen[]> {
  const findings: Seen[] = []
  for (const { id, run } of checks) {
    for (const finding of [await run(deps)].flat()) findings.push({ id, ...finding })
  }
  return findings
}

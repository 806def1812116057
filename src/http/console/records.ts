import type { ConsoleFigures, ConsoleTraffic, NamedCount } from '../../contract/console/figures.ts'
import { CONSOLE_LIMITS } from '../../contract/console/limits.ts'
import { newestWrites } from '../../core/agent-journal.ts'
import { Failure } from '../../core/failure.ts'
import { defaultOnFailure } from '../../core/loop/guarded.ts'
import type { Gateway } from '../../gateway/gateway.ts'

type RecordSources = Pick<Gateway, 'store' | 'controls' | 'clock'>
type Part = 'standbys' | 'mandates' | 'approvals' | 'agentWrites' | 'instances'

/** Figures of all instances from the store. Empty while the store fails, which the console reports separately. */
export async function recordFigures(
  deps: RecordSources,
  isShared: boolean,
): Promise<Pick<ConsoleFigures, Part>> {
  const { store } = deps
  const instances = () => store.traffic.instances().catch(defaultOnFailure('http', [], Failure))
  return {
    standbys: await readCounts(store.standbys),
    mandates: await mandateCounts(deps),
    approvals: await readCounts(store.approvals),
    agentWrites: await agentWrites(deps),
    instances: isShared ? await instances() : null,
  }
}

/** This instance's traffic per minute since `sinceMs`, at most of the last day. Throws Failure while the store fails. */
export async function trafficFigures(
  { deps, instance }: { readonly deps: RecordSources; readonly instance: string },
  sinceMs: number,
): Promise<ConsoleTraffic> {
  const dayAgoMs = deps.clock.nowMs() - CONSOLE_LIMITS.trafficKeptMs
  return { minutes: await deps.store.traffic.minutes(instance, Math.max(sinceMs, dayAgoMs)) }
}

async function readCounts(table: {
  readonly counts: () => Promise<readonly { readonly state: string; readonly count: number }[]>
}): Promise<readonly NamedCount[]> {
  const rows = await table.counts().catch(defaultOnFailure('http', [], Failure))
  return rows.map(({ state: name, count }) => ({ name, count }))
}

async function mandateCounts({ store, controls }: RecordSources): Promise<readonly NamedCount[]> {
  const { length } = controls.shown().freezes
  const frozen = length ? [{ name: 'operator', count: length }] : []
  return [...(await readCounts(store.mandates)), ...frozen]
}

async function agentWrites({ store }: RecordSources) {
  const writes = newestWrites(store.agentJournal, CONSOLE_LIMITS.agentWritesMax)
  const rows = await writes.catch(defaultOnFailure('http', [], Failure))
  return rows.map(({ sequence, atMs, tool, outcome }) => ({ sequence, atMs, tool, outcome }))
}

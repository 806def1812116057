import type { Settings } from '../../settings/settings.ts'
import type { Check, CheckDeps, Finding } from './finding.ts'

/** What instances share, looked at from here. */
export const ENGINE_CHECKS: readonly Check[] = [{ id: 'engines', network: true, look: engines }]

function engines({ settings, world }: CheckDeps): Promise<readonly Finding[]> | readonly Finding[] {
  return settings.engines ? world.lookAtEngines(settings.engines) : []
}

/** Where records are kept, for whoever reads what a command says; no word of a password. */
export function recordsAt({ engines, dataDir }: Settings): string {
  if (!engines) return dataDir
  const { hosts, database } = engines.postgres
  return `PostgreSQL at ${hosts.map(({ host, port }) => `${host}:${port}`).join(',')}/${database}`
}

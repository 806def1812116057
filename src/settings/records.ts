import type { Settings } from './settings.ts'

/** Where records are kept, for whoever reads what a command says; no word of a password. */
export function recordsAt({ engines, dataDir }: Pick<Settings, 'engines' | 'dataDir'>): string {
  if (!engines) return dataDir
  const { hosts, database } = engines.postgres
  return `PostgreSQL at ${hosts.map(({ host, port }) => `${host}:${port}`).join(',')}/${database}`
}

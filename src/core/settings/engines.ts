import { need, type Texts, want } from './values.ts'

/** The shared engines, and the number of PostgreSQL connections per instance. */
export type EngineSettings = NonNullable<ReturnType<typeof engineSettings>>

/** The shared engines; null for a single instance with its own SQLite file. */
export function engineSettings(texts: Texts) {
  const [postgres, valkey] = [want(texts, 'POSTGRES'), want(texts, 'VALKEY')]
  if (!postgres || !valkey) return null
  return {
    postgres,
    valkey,
    fencing: need(texts, 'POSTGRES_FENCING'),
    connectionsMax: need(texts, 'POSTGRES_CONNECTIONS'),
    /** How long an idle connection is kept; 0 means forever. */
    idleMs: 1000 * need(texts, 'POSTGRES_IDLE_SECONDS'),
  } as const
}

type Records = { readonly engines: EngineSettings | null; readonly dataDir: string }

/** The location of the records, for a command's output, without passwords. */
export function recordsAt({ engines, dataDir }: Records): string {
  if (!engines) return dataDir
  const { hosts, database } = engines.postgres
  return `PostgreSQL at ${hosts.map(({ host, port }) => `${host}:${port}`).join(',')}/${database}`
}

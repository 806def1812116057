import { need, type Texts, want } from './values.ts'

/** The engines that instances share, and how many connections of PostgreSQL this one takes. */
export type EngineSettings = NonNullable<ReturnType<typeof enginesOf>>

/** Null where this process stands alone on its file. */
export function enginesOf(texts: Texts) {
  const [postgres, valkey] = [want(texts, 'POSTGRES'), want(texts, 'VALKEY')]
  if (!postgres || !valkey) return null
  return {
    postgres,
    valkey,
    fencing: need(texts, 'POSTGRES_FENCING'),
    connectionsMax: need(texts, 'POSTGRES_CONNECTIONS'),
    /** How long a connection is kept without a question; 0 for good. */
    idleMs: 1000 * need(texts, 'POSTGRES_IDLE_SECONDS'),
  } as const
}

type Records = { readonly engines: EngineSettings | null; readonly dataDir: string }

/** Where records are kept, for whoever reads what a command says; no word of a password. */
export function recordsAt({ engines, dataDir }: Records): string {
  if (!engines) return dataDir
  const { hosts, database } = engines.postgres
  return `PostgreSQL at ${hosts.map(({ host, port }) => `${host}:${port}`).join(',')}/${database}`
}

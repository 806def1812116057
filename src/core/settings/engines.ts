import { optionalSetting, requiredSetting, type SettingTexts } from './values.ts'

/** The shared engines, and the number of PostgreSQL connections per instance. */
export type EngineSettings = NonNullable<ReturnType<typeof engineSettings>>

/** The shared engines; null for a single instance with its own SQLite file. */
export function engineSettings(texts: SettingTexts) {
  const [postgres, valkey] = [optionalSetting(texts, 'POSTGRES'), optionalSetting(texts, 'VALKEY')]
  if (!postgres || !valkey) return null
  return {
    postgres,
    valkey,
    fencing: requiredSetting(texts, 'POSTGRES_FENCING'),
    connectionsMax: requiredSetting(texts, 'POSTGRES_CONNECTIONS'),
    /** How long an idle connection is kept; 0 means forever. */
    idleMs: 1000 * requiredSetting(texts, 'POSTGRES_IDLE_SECONDS'),
  } as const
}

type RecordsSettings = { readonly engines: EngineSettings | null; readonly dataDir: string }

/** The location of the records, for a command's output, without passwords. */
export function recordsLocation({ engines, dataDir }: RecordsSettings): string {
  if (!engines) return dataDir
  const { hosts, database } = engines.postgres
  return `PostgreSQL at ${hosts.map(({ host, port }) => `${host}:${port}`).join(',')}/${database}`
}

import type { VenueKind } from '../contract/venue/kind.ts'

/** Facts of the build; a run from source has placeholders. */
type BuildFacts = {
  readonly version: string
  readonly commit: string
  readonly elysia: string
}

// build/compile.ts replaces these names with string literals.
declare const PREPD_VERSION: string | undefined
declare const PREPD_COMMIT: string | undefined
declare const PREPD_ELYSIA: string | undefined

export const BUILD_FACTS: BuildFacts = {
  version: typeof PREPD_VERSION === 'string' ? PREPD_VERSION : 'source',
  commit: typeof PREPD_COMMIT === 'string' ? PREPD_COMMIT : 'source',
  elysia: typeof PREPD_ELYSIA === 'string' ? PREPD_ELYSIA : 'source',
}

/** Facts from the caller: the SQLite engine, and the venue of the settings. */
type VersionFacts = {
  readonly sqlite: string
  readonly venue: VenueKind | 'unknown'
}

/** The line of `--version`. */
export function versionLine(): string {
  return `prepd ${BUILD_FACTS.version} (${BUILD_FACTS.commit})`
}

/** The line of `--version --json`. */
export function versionJson({ sqlite, venue }: VersionFacts): string {
  const { version, commit, elysia } = BUILD_FACTS
  return JSON.stringify({ name: 'prepd', version, commit, bun: Bun.version, sqlite, elysia, venue })
}

import type { VenueKind } from '../contract/venue/kind.ts'
import { BUILD } from '../core/build-facts.ts'

/** Facts from the caller: the SQLite engine, and the venue of the settings. */
export type VersionFacts = {
  readonly sqlite: string
  readonly venue: VenueKind | 'unknown'
}

/** The line of `--version`. */
export function versionLine(): string {
  return `prepd ${BUILD.version} (${BUILD.commit})`
}

/** The line of `--version --json`. */
export function versionJson({ sqlite, venue }: VersionFacts): string {
  const { version, commit, elysia } = BUILD
  return JSON.stringify({ name: 'prepd', version, commit, bun: Bun.version, sqlite, elysia, venue })
}

import { afterAll, beforeAll } from 'bun:test'
import { type RecordingUpstream, startRecordingUpstream } from '../recording-upstream.ts'
import { openTarget, type Target, type TargetSettings } from '../target.ts'

export type Guarded = {
  readonly target: () => Target
  /** A second one, behind trusted proxies. */
  readonly proxied: () => Target
  readonly venue: () => RecordingUpstream
  /** Everything the venue has been asked since the last look. */
  readonly asked: () => readonly string[]
}

/** Two deployments in front of one recording venue that knows no account; opened and closed with the test file. */
export function guardedTargets(settings: TargetSettings): Guarded {
  let venue: RecordingUpstream
  let target: Target
  let proxied: Target
  let looked = 0
  beforeAll(async () => {
    venue = await startRecordingUpstream(() => ({
      json: { success: true, timestamp: 1, data: { rows: [] } },
    }))
    const live = { VENUE: venue.url, LIMIT_MCP: 'off', SWAP: 'off' }
    target = await openTarget('in process', { ...live, TRUSTED_PROXIES: 'none', ...settings })
    proxied = await openTarget('in process', live)
  })
  afterAll(async () => {
    await target.stop()
    await proxied.stop()
    await venue.stop()
  })
  return {
    target: () => target,
    proxied: () => proxied,
    venue: () => venue,
    asked: () => {
      const seen = venue.requests.slice(looked)
      looked = venue.requests.length
      return seen.map(({ method, target: path }) => `${method} ${path}`)
    },
  }
}

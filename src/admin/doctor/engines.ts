import type { Check, CheckDeps, Finding } from './finding.ts'

/** What instances share, looked at from here. */
export const ENGINE_CHECKS: readonly Check[] = [{ id: 'engines', network: true, look: engines }]

function engines({ settings, world }: CheckDeps): Promise<readonly Finding[]> | readonly Finding[] {
  return settings.engines ? world.lookAtEngines(settings.engines) : []
}

import { hostname } from 'node:os'
import type { Settings } from '../settings/settings.ts'

/** What this process is called among those that share its store. */
export function instanceName({ listen }: Pick<Settings, 'listen'>): string {
  return `${hostname()}:${listen.port || process.pid}`
}

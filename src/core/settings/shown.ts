import type { ShownSetting } from '../../contract/console/figures.ts'
import { SETTING_ROWS, type Setting } from '../../contract/settings.ts'
import type { Entry } from './sources.ts'

/** Settings for display, without secrets. */
export function shownSettings(entries: readonly Entry[]): readonly ShownSetting[] {
  const rows = new Map<string, Setting>(SETTING_ROWS.map((row) => [row.name, row]))
  return entries.map(({ name, origin, text }) => {
    const isSecret = rows.get(name)?.secret === true
    return { name, origin, value: text === null ? 'not set' : isSecret ? 'set' : text }
  })
}

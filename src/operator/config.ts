import { recordsLocation } from '../core/settings/engines.ts'
import { hostText } from '../core/settings/listen-address.ts'
import type { Settings } from '../core/settings/settings.ts'
import { shownSettings } from '../core/settings/sources.ts'
import { installedUnit } from '../core/settings/unit.ts'
import { printable } from '../core/settings/usage-error.ts'
import { chosenVenueKind } from '../core/settings/venue-settings.ts'
import type { CommandArguments, CommandEnvironment } from './command/command.ts'
import { aligned } from './command/tables.ts'

/**
 * Checks the files that the settings name. The settings are already validated. Creates no files. Prints
 * - `ok` and a summary of the start, or one line per problem,
 * - the files that it read,
 * - warnings about the operator's listener and the shared engines.
 * Returns 0 or 64.
 */
export async function configCheck(deps: CommandEnvironment): Promise<number> {
  const { report, settings } = deps
  const { findProblems, findWarnings } = await import('./doctor/doctor.ts')
  const problems = await findProblems(deps)
  const warnings = await findWarnings(deps)
  const starts = startLine(settings)
  const { read, hints } = filesRead(deps)
  const all = [...warnings, ...hints]
  const warned = (settings.engines || all.length > 0) && { warnings: all }
  report({ ok: problems.length === 0, problems, ...warned, starts, read }, [
    ...(problems.length > 0 ? problems : ['ok', starts]),
    ...(read.length > 0 ? [`read: ${read.join(', ')}`] : []),
    ...all,
  ])
  return problems.length > 0 ? EX_USAGE : 0
}

const EX_USAGE = 64
const UNIT = 'prepd.service'
const UNIT_CONFIG = '/etc/prepd/prepd.toml'

/** The source files of the settings, and advice about files of the systemd unit that this command did not read. */
function filesRead({ entries, files, unit }: CommandEnvironment) {
  const places = entries
    .filter(({ origin, spelling }) => origin === 'file' && !(unit && spelling.startsWith('the ')))
    .map(({ spelling }) => spelling.replace(/^[a-z0-9_]+ in /, ''))
  const read = [...new Set([...(unit?.read ?? []), ...places])]
  const unread = unit?.unread.map((line) => `warning: ${line}`)
  return { read, hints: unread ?? unitHints(read, files) }
}

function unitHints(read: readonly string[], files: CommandEnvironment['files']): readonly string[] {
  const path = installedUnit(files, UNIT) ?? (files.stat(UNIT_CONFIG) && UNIT_CONFIG)
  if (path === null || read.includes(UNIT_CONFIG)) return []
  return [`warning: ${path} was not read. Run: sudo prepd --mode admin config check --unit ${UNIT}`]
}

/** Prints each setting with its value; `--origin` adds the value's source. Secrets print as `set` or `not set`. */
export async function configShow(
  { report, entries }: CommandEnvironment,
  args: CommandArguments,
): Promise<number> {
  const settings = shownSettings(entries)
  const cells = settings.map(({ name, origin, value }) => [
    name,
    ...(args.has('--origin') ? [origin] : []),
    value,
  ])
  report({ settings }, aligned(cells))
  return 0
}

const VENUES = {
  embedded: 'the embedded venue',
  paper: 'practice on the live venue',
  live: 'the live venue',
} as const

function startLine(settings: Settings): string {
  const { listen, venue } = settings
  const at = VENUES[chosenVenueKind(venue)]
  const origin = venue.at === 'embedded' ? venue.paperOf?.origin : venue.at.origin
  return `http on ${hostText(listen.host)}:${listen.port}, ${at}${origin ? ` ${origin}` : ''}, data in ${printable(recordsLocation(settings))}`
}

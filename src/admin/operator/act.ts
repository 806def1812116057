import { ClientFailure, createClient } from '../../client/client.ts'
import { isObject } from '../../core/json.ts'
import { printable, UsageError } from '../../settings/usage-error.ts'
import { ACTS, ACTS_ROOT, type Act, type ActName } from '../../spec/operator/acts.ts'
import { type CommandArguments, type CommandDeps, printMisuse } from '../command.ts'
import { linesOf } from './lines.ts'
import { lineOf, NoPlaceError, openPlace, type Place } from './place.ts'

/**
 * Runs an act on the running server, with its operator key, or offline on its records, and says on which. Answers the
 * exit code: 0, 1 when it was refused or no server answers, 64 when a flag or the key is missing.
 */
export async function actCommand(
  name: ActName,
  deps: CommandDeps,
  args: CommandArguments,
): Promise<0 | 1 | 64> {
  try {
    const fields = fieldsOf(ACTS[name], args)
    const place = await openPlace(deps, args)
    try {
      return await actAt(place, name, fields, deps)
    } finally {
      await place.close()
    }
  } catch (error) {
    if (error instanceof UsageError) return printMisuse(deps.print, ...error.lines)
    if (!(error instanceof NoPlaceError)) throw error
    deps.print(printable(error.message))
    return 1
  }
}

async function actAt(
  place: Place,
  name: ActName,
  fields: Readonly<Record<string, string>>,
  { print, tell, world }: CommandDeps,
): Promise<0 | 1> {
  const client = createClient({ ...place, nowMs: world.clock.nowMs })
  const { method, path }: Act = ACTS[name]
  try {
    const answer =
      method === 'GET'
        ? await client.get(`${ACTS_ROOT}${path}`, fields)
        : await client.post(`${ACTS_ROOT}${path}`, fields)
    const on = place.shown()
    const value = isObject(answer) ? answer : { answer }
    tell({ ...value, on }, [printable(lineOf(on)), ...linesOf(answer)])
    return 0
  } catch (error) {
    if (!(error instanceof ClientFailure)) throw error
    print(printable(lineOf(place.shown())))
    print(`${error.code}: ${error.message}${flagOf(error.meta)}`)
    return 1
  }
}

/** What is wrong with which flag, where the failure says so. */
function flagOf({ parameter, expected }: ClientFailure['meta']): string {
  return typeof expected === 'string' ? ` --${parameter} must be ${expected}.` : ''
}

/** Throws UsageError naming the flag that is missing or off. */
function fieldsOf({ parameters }: Act, args: CommandArguments): Record<string, string> {
  const fields: Record<string, string> = {}
  for (const [name, { pattern, expects, optional }] of Object.entries(parameters)) {
    const text = args.get(`--${name}`)
    if (text === undefined && optional) continue
    if (text === undefined || !pattern.test(text))
      throw new UsageError(`--${name} must be ${text === undefined ? 'given: ' : ''}${expects}`)
    fields[name] = text
  }
  return fields
}

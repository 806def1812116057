import { AGENT_VARIABLE, AGENT_VARIABLES } from '../../contract/venue/evaluated-agent.ts'
import { UsageError } from '../../core/settings/usage-error.ts'

type Variables = Readonly<Record<string, string | undefined>>

/**
 * The environment of an agent's program. It has the variables of this process that every program needs, and those in
 * `names`.
 */
export function agentEnvironment(own: Variables, names: readonly string[]): Record<string, string> {
  const given = [...AGENT_VARIABLES, ...names].flatMap((name) => {
    const value = own[name]
    return value === undefined ? [] : [[name, value] as const]
  })
  return Object.fromEntries(given)
}

/**
 * The names of variables in a comma-separated flag, together with the names in the evaluation's file. Throws UsageError
 * for an invalid name, and for an unset variable.
 */
export function namedVariables(
  flag: string | undefined,
  names: readonly string[],
  own: Variables,
): readonly string[] {
  const given = flag === undefined ? [] : flag.split(',')
  if (!given.every((name) => AGENT_VARIABLE.test(name)))
    throw new UsageError('--env must be names of variables, commas between; none of prepd')
  const all = [...new Set([...names, ...given])]
  const absent = all.filter((name) => own[name] === undefined)
  if (absent.length > 0)
    throw new UsageError(`the agent is to get ${absent.join(', ')}, which is not set`)
  return all
}

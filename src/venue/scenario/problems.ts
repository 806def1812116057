import { parseScenario, ScenarioError } from './parse.ts'

/** What is wrong with the scenario that a setting names, one line each; for `config check` and for the start. */
export function scenarioProblems(
  path: string | null,
  textOf: (path: string) => string | null,
): string[] {
  if (path === null) return []
  const named = `PREPD_VENUE_SCENARIO names a file that cannot be read, or is larger than 1 MiB: ${shown(path)}`
  const text = textOf(path)
  if (text === null) return [named]
  try {
    parseScenario(text)
    return []
  } catch (error) {
    if (!(error instanceof ScenarioError)) throw error
    return [`PREPD_VENUE_SCENARIO: ${shown(path)}: ${error.message}`]
  }
}

/** A path as a terminal may show it. */
function shown(path: string): string {
  return path.replace(/\p{Cc}/gu, '?')
}

import { COMMAND_NAMES, type CommandName, isCommandName } from '../../../contract/venue/commands.ts'
import { Failure } from '../../../core/failure.ts'
import { type ReadCommand, readCommand } from '../commands.ts'
import { type CommandTexts, parseDuration } from '../values.ts'

/** One line of a scenario: a command, and when it runs after the scenario's start. */
export type ScenarioLine = {
  /** Line number, from 1. */
  readonly number: number
  readonly offsetMs: number
  readonly name: CommandName
  readonly command: ReadCommand
}

/** An error in a scenario's text. Lines and columns count from 1. */
class ScenarioError extends Error {
  override readonly name = 'ScenarioError'
  constructor(line: number, column: number, reason: string) {
    super(`line ${line}, column ${column}: ${reason}`)
  }
}

/** A line may not contain these commands, because they replace the world and would restart the scenario. */
const NO_LINES: ReadonlySet<CommandName> = new Set(['restore', 'reset'])
const LINES_MAX = 10_000

/**
 * Parses a scenario with one command per line, `OFFSET COMMAND NAME=VALUE …`, such as `90s price shock symbol=all
 * share=-20%`. Offsets never decrease. `#` begins a comment. A value with spaces is in double quotes. Throws
 * ScenarioError.
 */
export function parseScenario(text: string): readonly ScenarioLine[] {
  const lines: ScenarioLine[] = []
  let lastMs = 0
  for (const [at, written] of text.split(/\r?\n/).entries()) {
    const tokens = parseTokens(written)
    const [first, ...rest] = tokens
    if (!first) continue
    if (lines.length >= LINES_MAX)
      throw new ScenarioError(at + 1, 1, `more than ${LINES_MAX} lines`)
    const line = parseLine(at + 1, first, rest)
    if (line.offsetMs < lastMs)
      throw new ScenarioError(at + 1, first.column, 'the time is before that of the line above')
    lastMs = line.offsetMs
    lines.push(line)
  }
  return lines
}

type Token = { readonly text: string; readonly column: number }

function parseTokens(written: string): readonly Token[] {
  const [code = ''] = /^(?:[^"#]|"[^"]*"|"(?![^"]*"))*/.exec(written) ?? []
  return Array.from(code.matchAll(/(?:[^\s"]|"[^"]*"|")+/g), ({ 0: text, index }) => ({
    text,
    column: index + 1,
  }))
}

function parseLine(number: number, time: Token, rest: readonly Token[]): ScenarioLine {
  const offsetMs = parseDuration(time.text)
  if (offsetMs === undefined)
    throw new ScenarioError(number, time.column, 'the time must be one such as 0s, 90s, 15m or 8h')
  const names = rest.filter(({ text }) => !text.includes('='))
  const name = names.map(({ text }) => text).join(' ')
  const column = names[0]?.column ?? time.column + time.text.length + 1
  if (!isCommandName(name))
    throw new ScenarioError(number, column, `no such word; there are ${COMMAND_NAMES.join(', ')}`)
  if (NO_LINES.has(name)) throw new ScenarioError(number, column, `${name} cannot be a line`)
  return { number, offsetMs, name, command: readLine(number, column, name, rest) }
}

/** Parses the command of a line. An error names the column of the parameter, or of the command if one is missing. */
function readLine(
  number: number,
  column: number,
  name: CommandName,
  rest: readonly Token[],
): ReadCommand {
  const pairs = rest.filter(({ text }) => text.includes('='))
  const texts: CommandTexts = Object.fromEntries(pairs.map(({ text }) => halves(text)))
  try {
    return readCommand(name, texts)
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    const { parameter, expected } = error.meta ?? {}
    const token = pairs.find(({ text }) => halves(text)[0] === parameter)
    throw new ScenarioError(number, token?.column ?? column, `${parameter} must be ${expected}`)
  }
}

function halves(pair: string): readonly [name: string, value: string] {
  const at = pair.indexOf('=')
  return [pair.slice(0, at), pair.slice(at + 1).replace(/^"(.*)"$/, '$1')]
}

/**
 * The errors in a setting's scenario file, one line each, for `config check` and the start; empty without a scenario or
 * an error.
 */
export function scenarioProblems(
  path: string | null,
  textOf: (path: string) => string | null,
  name = 'PREPD_VENUE_SCENARIO',
): string[] {
  if (path === null) return []
  const named = `${name} names a file that cannot be read, or is larger than 1 MiB: ${shown(path)}`
  const text = textOf(path)
  if (text === null) return [named]
  try {
    parseScenario(text)
    return []
  } catch (error) {
    if (!(error instanceof ScenarioError)) throw error
    return [`${name}: ${shown(path)}: ${error.message}`]
  }
}

/** A path that is safe to print: without control characters. */
function shown(path: string): string {
  return path.replace(/\p{Cc}/gu, '?')
}

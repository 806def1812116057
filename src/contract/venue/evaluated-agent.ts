import { type Static, Type } from '@sinclair/typebox'
import { DAY_MS } from '../durations.ts'

/** Bounds of the agent of an evaluation. The unit is the last word of each name. */
export const EVALUATED_AGENT_LIMITS = {
  thinkMaxMs: DAY_MS,
  runMaxMs: 30 * DAY_MS,
  callsMax: 1_000_000,
  ordersMax: 1_000_000,
  bytesMax: 1_000_000_000,
  /** Maximum time that an agent may take to end after its last call. */
  endWaitMs: 5000,
  /** Maximum length of a logged line of an agent. */
  lineMaxChars: 1_000_000,
  /** Maximum bytes kept of an agent's error output. */
  errorsMaxBytes: 16 * 1024 * 1024,
} as const

/** Default limits of an agent. */
export const AGENT_DEFAULTS = {
  think_max: '10m',
  run_max: '6h',
  calls_max: 1000,
  orders_max: 500,
  bytes_max: 10_000_000,
} as const

/** Allowlist of this process's variables that an agent's program inherits. Others must be named in its file or by `--env`. */
export const AGENT_VARIABLES = [
  ...['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'TERM', 'TMPDIR', 'TZ'],
  ...['LANG', 'LANGUAGE', 'LC_ALL', 'LC_CTYPE'],
  // Windows programs find the system, their folders and other programs by these variables.
  ...['SystemRoot', 'USERPROFILE', 'TEMP', 'TMP', 'APPDATA', 'LOCALAPPDATA', 'PATHEXT', 'COMSPEC'],
] as const

/** Names of variables that may be passed on: all except the variables of prepd. */
export const AGENT_VARIABLE = /^(?!PREPD_)[A-Za-z_][A-Za-z0-9_]{0,127}$/

/** Built-in agents for comparison. */
export const BASELINES = ['hold', 'random', 'momentum', 'maker'] as const
export type BaselineName = (typeof BASELINES)[number]

const stopped = (reason: string) => ({ isFinished: false, meaning: `${reason}, and was stopped.` })

/** The ways in which an agent can end. Results use these keys. */
export const AGENT_OUTCOMES = {
  done: { isFinished: true, meaning: 'The agent ended by itself, without an error.' },
  time_over: { isFinished: true, meaning: 'The agent continued until the end of the run.' },
  failed: { isFinished: false, meaning: 'The program ended with an error.' },
  refused: {
    isFinished: false,
    meaning: 'The agent’s address answered the start request with a status outside 200 to 299.',
  },
  away: {
    isFinished: false,
    meaning: 'The agent’s address did not answer, or the connection was lost.',
  },
  silent: stopped('The agent made no call for longer than think_max'),
  think_max: stopped('The agent called tools for longer than think_max in one decision'),
  calls_max: stopped('The agent sent more than calls_max calls in one decision'),
  orders_max: stopped('The agent sent more than orders_max orders in one decision'),
  bytes_max: stopped('The agent wrote more than bytes_max bytes in one decision'),
  run_max: stopped('The agent ran for longer than run_max in real time'),
} as const satisfies Record<string, { readonly isFinished: boolean; readonly meaning: string }>

export type AgentOutcome = keyof typeof AGENT_OUTCOMES

/** The transports by which a program uses MCP: its standard streams, or HTTP at a URL in its environment. */
export const AGENT_TRANSPORTS = ['stdio', 'http'] as const
export type AgentTransport = (typeof AGENT_TRANSPORTS)[number]

export const duration = (description: string) =>
  Type.String({ pattern: '^[0-9]{1,9}(ms|s|m|h|d)$', description })

export const literals = <Name extends string>(names: readonly Name[], description: string) =>
  Type.Unsafe<Name>(
    Type.String({ enum: [...names], pattern: `^(?:${names.join('|')})$`, description }),
  )

const count = (maximum: number) =>
  Type.Optional(
    Type.Integer({ minimum: 1, maximum, description: `a whole number from 1 to ${maximum}` }),
  )

export const AgentTable = Type.Object(
  {
    command: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 4096, description: 'a word' }), {
        minItems: 1,
        maxItems: 64,
        description: 'a list of words: a program and its arguments',
      }),
    ),
    baseline: Type.Optional(literals(BASELINES, `one of ${BASELINES.join(', ')}`)),
    address: Type.Optional(
      Type.String({ minLength: 1, maxLength: 4096, description: 'the URL of an agent' }),
    ),
    mcp: Type.Optional(literals(AGENT_TRANSPORTS, '"stdio" or "http"')),
    env: Type.Optional(
      Type.Array(
        Type.String({ pattern: AGENT_VARIABLE.source, description: 'the name of a variable' }),
        { maxItems: 64, uniqueItems: true, description: 'a list of names of variables' },
      ),
    ),
    port: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 65_535, description: 'a port from 1 to 65535' }),
    ),
    think_max: Type.Optional(duration('a duration such as 10m')),
    run_max: Type.Optional(duration('a duration such as 6h')),
    calls_max: count(EVALUATED_AGENT_LIMITS.callsMax),
    orders_max: count(EVALUATED_AGENT_LIMITS.ordersMax),
    bytes_max: count(EVALUATED_AGENT_LIMITS.bytesMax),
  },
  { additionalProperties: false, description: 'a table of command, baseline or address' },
)

export type AgentTable = Static<typeof AgentTable>

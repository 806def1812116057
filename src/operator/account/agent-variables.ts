import type { Credentials } from '../../agents/client/client.ts'
import type { CommandArguments, CommandEnvironment } from '../command/command.ts'
import { LIMIT_FLAGS } from '../command/flags.ts'
import { type Access, CLIENTS } from './clients.ts'
import type { KeyStorage } from './key-storage.ts'
import type { AccountService } from './service.ts'

/** The result of a command: a value for programs, and lines for people. */
export type CommandReport = { readonly value: object; readonly lines: readonly string[] }

type AgentVariablesOptions = {
  readonly world: CommandEnvironment['world']
  readonly place: Pick<AccountService, 'url' | 'variables'>
  readonly credentials: Pick<Credentials, 'accountId' | 'secret'>
  readonly keyPlace: KeyStorage
  readonly args: CommandArguments
}

/**
 * The environment variables of an agent over stdio: the service's URL, the account, the key or its location, and the
 * limits.
 */
export function agentVariables({
  place,
  credentials: { accountId, secret },
  keyPlace,
  args,
}: Omit<AgentVariablesOptions, 'world'>): Access['variables'] {
  return [
    ...place.variables,
    ['SERVICE_ACCOUNT_ID', accountId],
    keyPlace.variable(secret),
    ...limitVariables(args),
  ]
}

/** The environment variables of the limits that the command line sets. */
function limitVariables(args: CommandArguments): Access['variables'] {
  return LIMIT_FLAGS.flatMap(({ flag, variable }) => {
    const text = args.get(flag)
    return text === undefined ? [] : [[variable, text || 'on'] as const]
  })
}

/** One line of advice if the command line sets no limit; otherwise empty. */
export function limitLines(args: CommandArguments): readonly string[] {
  if (limitVariables(args).length > 0) return []
  return [
    '# No limit is set: the agent may trade with the whole account. Set one with --max-order-usdc 100, for example.',
  ]
}

/**
 * The report of an agent's account. Its lines are the variables and then a ready-made line per MCP client; its JSON
 * value has only the variables.
 */
export function accountReport({ world, ...agent }: AgentVariablesOptions): CommandReport {
  const { place, credentials, keyPlace, args } = agent
  const { accountId, secret } = credentials
  const variables = agentVariables(agent)
  const tradingKey = keyPlace.inShell(secret)
  const { url } = place
  const http = url === null || tradingKey === null ? null : { url, accountId, tradingKey }
  return {
    value: { variables: Object.fromEntries(variables) },
    lines: [
      ...variables.map(([name, value]) => `${name}=${value}`),
      ...limitLines(args),
      ...clientLines({ executable: world.executable, variables, http }),
    ],
  }
}

function clientLines(access: Access): string[] {
  return CLIENTS.flatMap(({ client, line }) => {
    const text = line(access)
    return text === null ? [] : ['', `# ${client}`, text]
  })
}

import type { Credentials } from '../../client/client.ts'
import { toHex } from '../../core/hex.ts'
import type { CommandDeps } from '../command/command.ts'
import { type Access, CLIENTS } from './clients.ts'
import type { Place } from './place.ts'

/** The result of a command: as a value for programs, and as lines for people. */
export type CommandReport = { readonly value: object; readonly lines: readonly string[] }

type Parts = {
  readonly world: CommandDeps['world']
  readonly place: Pick<Place, 'url' | 'variables'>
  readonly credentials: Pick<Credentials, 'accountId' | 'secret'>
  /** The file that holds the trading key; null to show the key itself. */
  readonly out: string | null
}

/** The environment of an agent over stdio: where the service is, the account, and its key or the key's file. */
export function variablesOf(
  { world }: Pick<CommandDeps, 'world'>,
  place: Pick<Place, 'variables'>,
  { accountId, secret }: Parts['credentials'],
  out: string | null,
): Access['variables'] {
  const account = ['SERVICE_ACCOUNT_ID', accountId] as const
  return out === null
    ? [...place.variables, account, ['SERVICE_TRADING_KEY', toHex(secret)]]
    : [...place.variables, account, ['SERVICE_TRADING_KEY_FILE', world.disk.absolute(out)]]
}

/** The variables of an agent, one a line, and below them a ready line for each client; as a value the variables alone. */
export function accountReport({ world, place, credentials, out }: Parts): CommandReport {
  const { accountId, secret } = credentials
  const variables = variablesOf({ world }, place, credentials, out)
  const tradingKey = out === null ? toHex(secret) : `$(cat '${world.disk.absolute(out)}')`
  const http = place.url === null ? null : { url: place.url, accountId, tradingKey }
  return {
    value: { variables: Object.fromEntries(variables) },
    lines: [
      ...variables.map(([name, value]) => `${name}=${value}`),
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

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

/** The variables of an agent, one a line, and below them a ready line for each client; as a value the variables alone. */
export function accountReport({ world, place, credentials, out }: Parts): CommandReport {
  const { accountId } = credentials
  const secret = toHex(credentials.secret)
  const path = out === null ? null : world.disk.absolute(out)
  const variables = [
    ...place.variables,
    ['SERVICE_ACCOUNT_ID', accountId] as const,
    path === null
      ? (['SERVICE_TRADING_KEY', secret] as const)
      : (['SERVICE_TRADING_KEY_FILE', path] as const),
  ]
  const tradingKey = path === null ? secret : `$(cat '${path}')`
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

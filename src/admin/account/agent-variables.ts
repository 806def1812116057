import type { Credentials } from '../../client/client.ts'
import type { CommandDeps } from '../command/command.ts'
import { type Access, CLIENTS } from './clients.ts'
import type { KeyPlace } from './key-place.ts'
import type { Place } from './place.ts'

/** The result of a command: as a value for programs, and as lines for people. */
export type CommandReport = { readonly value: object; readonly lines: readonly string[] }

type Parts = {
  readonly world: CommandDeps['world']
  readonly place: Pick<Place, 'url' | 'variables'>
  readonly credentials: Pick<Credentials, 'accountId' | 'secret'>
  readonly keyPlace: KeyPlace
}

/** The environment of an agent over stdio: where the service is, the account, and its key or where that is. */
export function variablesOf(
  place: Pick<Place, 'variables'>,
  { accountId, secret }: Parts['credentials'],
  keyPlace: KeyPlace,
): Access['variables'] {
  return [...place.variables, ['SERVICE_ACCOUNT_ID', accountId], keyPlace.variable(secret)]
}

/** The variables of an agent, one a line, and below them a ready line for each client; as a value the variables alone. */
export function accountReport({ world, place, credentials, keyPlace }: Parts): CommandReport {
  const { accountId, secret } = credentials
  const variables = variablesOf(place, credentials, keyPlace)
  const tradingKey = keyPlace.inShell(secret)
  const { url } = place
  const http = url === null || tradingKey === null ? null : { url, accountId, tradingKey }
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

import { parsePostgres, parseValkey } from './engine-urls.ts'
import { wholeNumberOf, wholeNumberTo } from './figures.ts'

/** How the settings of the engines that instances share are read. */
export const ENGINE_KINDS = {
  // At least one for each use.
  connections: { expects: 'a whole number from 3 to 1000', parse: connectionsOf },
  fencing: { expects: 'prepd or operator', parse: fencingOf },
  idleSeconds: { expects: 'a whole number from 0 to 86400', parse: wholeNumberTo(86_400) },
  postgres: {
    expects: 'a postgres:// URL with user and database, and off this machine sslmode=verify-full',
    parse: parsePostgres,
  },
  valkey: {
    expects:
      'a redis://, rediss://, valkey://, valkeys:// or valkey+sentinel:// URL, off this machine one with TLS',
    parse: parseValkey,
  },
}

function connectionsOf(text: string): number | undefined {
  const number = wholeNumberOf(text) ?? 0
  return number >= 3 && number <= 1000 ? number : undefined
}

function fencingOf(text: string): 'prepd' | 'operator' | undefined {
  return text === 'prepd' || text === 'operator' ? text : undefined
}

import type { RedisOptions } from 'ioredis'
import { VALKEY_LIMITS } from '../../contract/engines/valkey.ts'
import type { ValkeyEndpoint } from '../../core/settings/engine-urls.ts'
import { readBounded } from '../../core/settings/files.ts'

/**
 * Options of a client that sends each command at most once, without a queue, and with a short timeout. The client's
 * defaults repeat a command whose answer was lost, and hang when the network goes silent. Throws the error of reading
 * the certificate file.
 */
export function clientOptions(place: ValkeyEndpoint): RedisOptions & { replyMapping: 'legacy' } {
  const { user, password, database, tls: trust } = place
  const tls = trust && (trust.caPath === null ? {} : { ca: readBounded(trust.caPath) })
  return {
    ...addressOptions(place),
    db: database,
    ...(user !== '' && { username: user }),
    ...(password !== '' && { password }),
    ...(tls && { tls, sentinelTLS: tls, enableTLSForSentinelMode: true }),
    replyMapping: 'legacy',
    lazyConnect: true,
    connectionName: 'prepd',
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    commandTimeout: place.waitMaxMs,
    socketTimeout: Math.max(VALKEY_LIMITS.silenceMaxMs, place.waitMaxMs),
    connectTimeout: place.connectMaxMs,
    // The default of two seconds would delay a stop while a connection is broken.
    disconnectTimeout: VALKEY_LIMITS.waitMaxMs,
    retryStrategy: (times) => Math.min(50 * times, VALKEY_LIMITS.reconnectMaxMs),
    // READONLY: the primary has become a replica. 1 reconnects, to reach the new primary, without repeating the
    // command.
    reconnectOnError: ({ message }) => (message.startsWith('READONLY') ? 1 : false),
  }
}

function addressOptions({
  hosts,
  sentinelName,
  user,
  password,
  connectMaxMs,
}: ValkeyEndpoint): RedisOptions {
  if (sentinelName === null) return hosts[0] ?? {}
  return {
    sentinels: [...hosts],
    name: sentinelName,
    sentinelCommandTimeout: connectMaxMs,
    ...(user !== '' && { sentinelUsername: user }),
    ...(password !== '' && { sentinelPassword: password }),
  }
}

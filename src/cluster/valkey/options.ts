import type { RedisOptions } from 'ioredis'
import { VALKEY_LIMITS } from '../../contract/engines/valkey.ts'
import type { ValkeyEndpoint } from '../../core/settings/engine-urls.ts'
import { readBounded } from '../../core/settings/files.ts'

/**
 * How a client sends commands to the engine: each at most once, at once, and with a short wait. With its defaults the
 * client runs a command twice when its answer is lost, and hangs when the network goes silent. Throws the error of
 * reading the certificate file.
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
    // A connection that was lost before it is given up would otherwise hold a stop up for two seconds.
    disconnectTimeout: VALKEY_LIMITS.waitMaxMs,
    retryStrategy: (times) => Math.min(50 * times, VALKEY_LIMITS.reconnectMaxMs),
    // The old primary has become a replica: find the new one, without sending the command again.
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

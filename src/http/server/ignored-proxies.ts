import type { Meter } from '../../core/observing/meter.ts'
import type { Log } from '../../core/ports.ts'
import { isPublicAddress } from '../../core/public-address.ts'
import { shortened } from './access.ts'

/**
 * Counts requests whose peer names a caller and is no trusted proxy, and logs the first peer that is probably a proxy of
 * the operator: one of a private network. From a public address anybody may send the header.
 */
export function countIgnoredProxies(meter: Meter, log: Log): (peer: string) => void {
  const counters = {
    private: meter.counter('prepd_forwarded_ignored_total', 'private'),
    public: meter.counter('prepd_forwarded_ignored_total', 'public'),
  }
  let isLogged = false
  return (peer) => {
    const network = isPublicAddress(peer) ? 'public' : 'private'
    counters[network].add()
    if (isLogged || network === 'public') return
    isLogged = true
    log.warn('proxy_not_trusted', { peer: shortened(peer), setting: 'PREPD_TRUSTED_PROXIES' })
  }
}

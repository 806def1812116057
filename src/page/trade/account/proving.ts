import { effect } from '@preact/signals'
import { nowMs } from '../../common/world.ts'
import { isClockUnusable } from '../feed/clock.ts'
import { identify } from '../feed/service.ts'
import { session, standing } from './session.ts'
import { signWith } from './trading-key.ts'

/** Has live data tell of the account, for as long as its key can sign: it signs the time, which is no order. */
export function startProving(): void {
  effect(() => {
    const key = session.value
    if (!key || standing.value !== 'active' || isClockUnusable.value) identify(null)
    else
      identify(async () => {
        const timestamp = String(nowMs())
        const signature = await signWith(key.key, timestamp)
        return { accountId: key.accountId, key: key.publicKey, timestamp, signature }
      })
  })
}

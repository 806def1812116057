import { VALKEY_LIMITS } from '../../contract/engines/valkey.ts'
import { EngineAway } from '../../core/engines/health.ts'
import { orElse } from '../../core/loop/guarded.ts'
import type { NoticeLeases } from '../../core/notice-leases.ts'
import type { ValkeyEngine } from './engine.ts'
import { script } from './script.ts'

/** ARGV is the instance and how long a lease lasts. */
const TAKE = script(`
local holder = redis.call('GET', KEYS[1])
if holder and holder ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1`)

/**
 * Leases of conditions. No instance releases a lease: it lapses only after the other instances, which check readiness
 * later, have seen the end of the condition as well. While the engine is away every instance notifies: twice is
 * better than never.
 */
export function valkeyNoticeLeases(
  engine: Pick<ValkeyEngine, 'run'>,
  instance: string,
): NoticeLeases {
  const noticeKey = (condition: string) => `prepd:notice:${condition}`
  return {
    take: async (condition) => {
      const args = [instance, VALKEY_LIMITS.noticeLeaseMs]
      const taken = await engine
        .run(TAKE, [noticeKey(condition)], args)
        .catch(orElse('valkey', 1, EngineAway))
      return taken === 1
    },
  }
}

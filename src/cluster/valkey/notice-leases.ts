import { VALKEY_LIMITS } from '../../contract/engines/valkey.ts'
import { EngineAway } from '../../core/engines/health.ts'
import { orElse } from '../../core/loop/guarded.ts'
import type { NoticeLeases } from '../../core/notice-leases.ts'
import type { ValkeyEngine } from './engine.ts'
import { script } from './script.ts'

/** ARGV: the instance and the length of a lease. */
const TAKE = script(`
local holder = redis.call('GET', KEYS[1])
if holder and holder ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1`)

/**
 * Leases for sending the notices of a condition. No instance releases a lease early: the other instances, which check
 * readiness later, must first see the end of the condition too. While the engine is away every instance sends, because
 * a duplicate notice is better than a missing one.
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

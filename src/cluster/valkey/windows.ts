import type { Policy } from '../../contract/limits.ts'
import { EngineAway } from '../../core/engines/health.ts'
import type { AdmittedRequests } from '../limits/reconcile.ts'
import type { WindowEngine } from '../limits/shared.ts'
import type { ValkeyEngine } from './engine.ts'
import type { Script } from './script.ts'

/** The prefix of the keys of windows. */
const PREFIX = 'prepd:window:'

/** Windows that all instances share. The scripts use the engine's clock. */
export function valkeyWindows(
  engine: Pick<ValkeyEngine, 'ask' | 'run'>,
  scripts: { readonly take: Script; readonly push: Script },
): WindowEngine {
  return {
    take: async (row, policy) => {
      const answer = await engine.run(scripts.take, [PREFIX + row], policyFigures(policy))
      const [allowed, debt] = scriptFigures(answer, 2)
      return { allowed: allowed === 1, debt: debt ?? 0 }
    },
    push: async (admitted) =>
      scriptFigures(
        await engine.run(
          scripts.push,
          admitted.map(({ row }) => PREFIX + row),
          admitted.flatMap(pushArguments),
        ),
        admitted.length,
      ),
    forget: async (row) => {
      await engine.ask((redis) => redis.del(PREFIX + row))
    },
  }
}

function policyFigures({ requests, seconds, burst }: Policy): number[] {
  return [requests, seconds, burst]
}

function pushArguments({
  policy: { requests, seconds },
  count,
  sinceMs,
}: AdmittedRequests): number[] {
  return [requests, seconds, count, sinceMs]
}

/** Parses the numbers that a script returned. Throws EngineAway for any other reply; the script's effect is then unknown. */
function scriptFigures(answer: unknown, count: number): number[] {
  if (!Array.isArray(answer) || answer.length !== count) throw new EngineAway('refused')
  return answer.map(Number)
}

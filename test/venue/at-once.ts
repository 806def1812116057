import type { Steps } from '../../src/venue/base/steps.ts'
import { type EngineParts, engineSteps } from '../../src/venue/engine/engine.ts'
import { restoreSteps } from '../../src/venue/engine/persist/restore.ts'
import { worldSteps } from '../../src/venue/engine/run.ts'

/** All of what is done in turns, in one. */
function finished<Value>(steps: Steps<Value>): Value {
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}

export const createWorld = (...initialState: Parameters<typeof worldSteps>) =>
  finished(worldSteps(...initialState))
export const restoreWorld = (...stored: Parameters<typeof restoreSteps>) =>
  finished(restoreSteps(...stored))
export const openEngine = (parts: EngineParts) => finished(engineSteps(parts))

import type { Scenario } from './scenario.ts'

const TICK = 0.1
const STEP = 0.001

/** What an account asks for, with what the model expects of it: null where it is too near to call. */
export type Asked = {
  readonly name: string
  readonly method: 'POST' | 'PUT' | 'DELETE'
  readonly path: string
  readonly body?: object
  readonly expected: 'accepted' | 'refused' | null
  /** Changes the ledger when the venue accepts. */
  readonly accept?: () => void
}

/** A random one. */
export function pick<T>({ rng }: Pick<Scenario, 'rng'>, of: readonly T[]): T {
  return of[Math.floor(rng() * of.length)] as T
}

/** The nearest price on the tick of the markets. */
export function onTick(price: number): number {
  return Number((Math.round(price / TICK) * TICK).toFixed(1))
}

/** The next lower quantity on their step. */
export function onStep(quantity: number): number {
  return Number((Math.floor(quantity / STEP) * STEP).toFixed(3))
}

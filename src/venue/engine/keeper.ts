import type { Observer } from './observer.ts'
import type { World } from './world.ts'

/**
 * Something that listens to the world and remembers, such as an account's histories. It is stored and found again with
 * the world: what it makes of the same events must be the same.
 */
export type Keeper = {
  readonly name: string
  readonly observer: Observer
  /** Is shown the world before anything happens in it. */
  readonly begin?: (world: World) => void
  /** What it remembers, as plain data. */
  readonly save: () => unknown
  /** Takes back what `save` gave, in an empty keeper whose world has been restored. */
  readonly load: (world: World, saved: unknown) => void
}

import type { Scene, World } from '../world.ts'

/** Accounts go by their number and markets by theirs: a request is plain data, and its log can be run again. */
export type OfAccount = { readonly account: number }
export type OfMarket = { readonly market: number }

/** The market of a number, with what of the world is about it. Throws RangeError when there is none. */
export function sceneAt({ scenes }: World, number: number): Scene {
  const scene = scenes[number]
  if (!scene) throw new RangeError('no such market')
  return scene
}

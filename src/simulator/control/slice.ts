/** The time that the simulation runs before the thread turns to other requests. */
const SLICE_MS = 4

/** Begins a slice of the simulation. Returns a check, called after each event, of whether the slice is over. */
export function slice(monotonicMs: () => number): () => boolean {
  const endsMs = monotonicMs() + SLICE_MS
  return () => monotonicMs() >= endsMs
}

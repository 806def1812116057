/** Maximum time in ms that the simulation runs before the thread handles other requests. */
const SLICE_MS = 4

/** Begins a slice. The returned function is called after each event, and returns whether the slice is over. */
export function beginSlice(monotonicMs: () => number): () => boolean {
  const endsMs = monotonicMs() + SLICE_MS
  return () => monotonicMs() >= endsMs
}

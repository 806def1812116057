/** How long the simulation goes on before the thread looks at other requests. */
const SLICE_MS = 4

/** Begins a slice of the simulation. Returns whether it is over, asked after each event. */
export function slice(monotonicMs: () => number): () => boolean {
  const endsMs = monotonicMs() + SLICE_MS
  return () => monotonicMs() >= endsMs
}

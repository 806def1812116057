/** Receives errors of storing a world where a test expects none. */
export function failed(error: unknown): never {
  throw error
}

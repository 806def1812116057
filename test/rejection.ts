/**
 * What a call rejects with, or null. `rejects` and `resolves` of the test runner wait in an inner event loop, which runs
 * callbacks within others and takes rejections that have a handler for unhandled ones: they fail beside an engine that is
 * away, or a browser.
 */
export async function rejection(call: Promise<unknown>): Promise<unknown> {
  return call.then(
    () => null,
    (error: unknown) => error,
  )
}

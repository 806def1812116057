/** Whether a content type says that a body is JSON. */
export function isJsonType(contentType: string): boolean {
  return /^\s*(?:application\/(?:[^\s;/]+\+)?json|text\/json)\s*(?:;|$)/i.test(contentType)
}

/** RFC 9110 10.2.3, the seconds form; a date is not worth trusting another machine's clock for. */
export function retryAfterOf(header: string | null): { readonly retryAfterSeconds?: number } {
  return /^\d{1,5}$/.test(header ?? '') ? { retryAfterSeconds: Number(header) } : {}
}

/** The verdict of a rate window that never refuses. */
export const FREE = {
  allowed: true,
  policy: { name: 'read', requests: 1, seconds: 1, burst: 1 },
  remaining: 1,
  resetSeconds: 0,
  retryAfterSeconds: 0,
} as const

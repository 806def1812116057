/** How releases are signed. */
export const RELEASE = {
  sums: 'SHA256SUMS',
  /** Made by `ssh-keygen -Y sign`, beside the sums. */
  signature: 'SHA256SUMS.sig',
  namespace: 'prepd-release',
  sumsMaxBytes: 1024 * 1024,
} as const

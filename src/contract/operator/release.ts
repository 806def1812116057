/** The files, signature namespace and size bound of signed releases. */
export const RELEASE = {
  sums: 'SHA256SUMS',
  /** The signature by `ssh-keygen -Y sign`, next to the file of checksums. */
  signature: 'SHA256SUMS.sig',
  namespace: 'prepd-release',
  sumsMaxBytes: 1024 * 1024,
} as const

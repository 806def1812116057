/** The runtime's cryptography, loaded where it is first used: that takes milliseconds which no start waits for. */
export function nodeCrypto(): typeof import('node:crypto') {
  return process.getBuiltinModule('node:crypto')
}
